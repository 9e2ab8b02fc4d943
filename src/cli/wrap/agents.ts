import { join, resolve } from "node:path";
import { parse } from "yaml";
import {
  type Agent,
  type AgentEnvironment,
  ANTHROPIC,
  type ConfigObject,
  configObjectIn,
  copyThrough,
  envFiles,
  foldersAround,
  GEMINI,
  jsonObject,
  ledThrough,
  OLLAMA,
  OPENAI,
  optionsIn,
  parsedConfig,
  type Through,
  valueIn,
  VERTEX,
  type Wiring,
  withOption,
} from "./agent.ts";
import { claude, codex, qwen } from "./layered-agents.ts";

type Variables = Readonly<Record<string, string>>;

const OPENAI_VARIABLES: Variables = { OPENAI_BASE_URL: OPENAI, OPENAI_API_BASE: OPENAI };
const ANTHROPIC_VARIABLES: Variables = { ANTHROPIC_BASE_URL: ANTHROPIC };

function byVariables(name: string, title: string, variables: Variables): Agent {
  return { name, title, command: name, wire: (surroundings, through) => wiredBy(variables, surroundings, through) };
}

/** One that is not set stands for the same API as its neighbours: by itself it would lead past what they say. */
function wiredBy(variables: Variables, { env }: AgentEnvironment, through: Through): Wiring {
  const entries = Object.entries(variables);
  const neighbour = (usual: string) => entries.find(([name, its]) => its === usual && env[name])?.[0] ?? "";
  const environment = entries.map(([name, usual]) => [
    name,
    ledThrough(through, env[name] || env[neighbour(usual)] || usual),
  ]);
  return { environment: Object.fromEntries(environment) };
}

/** Gemini CLI with a key. Variables of its environment go before those of the one file that it reads. A login leads elsewhere. */
const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  command: "gemini",
  wire(surroundings, through) {
    const { env } = surroundings;
    const [file = ""] = envFiles(surroundings, ".gemini");
    const led = (name: string, usual: string) => [name, ledThrough(through, env[name] || valueIn(file, name) || usual)];
    const environment = [led("GOOGLE_GEMINI_BASE_URL", GEMINI), led("GOOGLE_VERTEX_BASE_URL", VERTEX)];
    return { environment: Object.fromEntries(environment) };
  },
};

/** Any other command: the variables that the SDKs and frameworks read. */
export const anyCommand: Agent = {
  ...byVariables("", "", {}),
  wire({ env, ...rest }, through) {
    const variables = {
      ...OPENAI_VARIABLES,
      ...ANTHROPIC_VARIABLES,
      ANTHROPIC_API_BASE: ANTHROPIC,
      ANTHROPIC_VERTEX_BASE_URL: `${VERTEX}/v1`,
      GOOGLE_GEMINI_BASE_URL: GEMINI,
      GOOGLE_VERTEX_BASE_URL: VERTEX,
      LITELLM_API_BASE: OPENAI,
      OLLAMA_HOST: OLLAMA,
    };
    return wiredBy(variables, { ...rest, env: { ...env, OLLAMA_HOST: ollamaUrl(env.OLLAMA_HOST) } }, through);
  },
};

/** Of a server's variable, which may lack what a URL has, and may name all addresses to listen on. */
function ollamaUrl(host: string | undefined): string | undefined {
  if (!host) return undefined;
  const [, scheme, address = "", port = scheme ? "" : ":11434", path = ""] =
    /^(https?:\/\/)?(\[.*\]|[^:/]*)(:\d+)?(.*)$/.exec(host.trim()) ?? [];
  const isAny = ["", "0.0.0.0", "[::]"].includes(address);
  return `${scheme ?? "http://"}${isAny ? "127.0.0.1" : address}${port}${path}`;
}

const USUAL: Readonly<Record<string, string>> = { openai: OPENAI, anthropic: `${ANTHROPIC}/v1` };

const baseUrlOf = (named: unknown, usual: string | undefined) =>
  typeof named === "string" && named !== "" ? named : usual;

const AIDER_OPENAI = ["AIDER_OPENAI_API_BASE", "OPENAI_API_BASE", "OPENAI_BASE_URL"];
const AIDER_ANTHROPIC = ["ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"];

/** aider. A variable of its own goes before its configuration files, and these before the variables of OpenAI's SDK. */
const aider: Agent = {
  name: "aider",
  title: "aider",
  command: "aider",
  wire(surroundings, through) {
    const { cwd, env, home, read } = surroundings;
    // The file of the nearest folder, up to the root of the repository, goes before that of the home folder.
    const { repository = cwd } = foldersAround(surroundings);
    const files = [cwd, repository, home].map((folder) => parsedConfig(read(join(folder, ".aider.conf.yml")), parse));
    const inFiles = files.map((file) => file["openai-api-base"]).find((base) => typeof base === "string");
    const set = (names: readonly string[]) => names.map((name) => env[name]).find((value) => value);
    const openai = through(set(AIDER_OPENAI.slice(0, 1)) || inFiles || set(AIDER_OPENAI) || OPENAI);
    const anthropic = through(set(AIDER_ANTHROPIC) ?? ANTHROPIC);
    const all = (names: readonly string[], url: string) => names.map((name) => [name, url] as const);
    return { environment: Object.fromEntries([...all(AIDER_OPENAI, openai), ...all(AIDER_ANTHROPIC, anthropic)]) };
  },
};

/** cline. Its provider file alone tells it a base URL; a variable says where that is. */
const cline: Agent = {
  name: "cline",
  title: "cline",
  command: "cline",
  wire(surroundings, through) {
    const variable = "CLINE_PROVIDER_SETTINGS_PATH";
    const { env, home, read } = surroundings;
    const folder = env.CLINE_DATA_DIR || join(env.CLINE_DIR || join(home, ".cline"), "data");
    const path = env[variable] || join(folder, "settings", "providers.json");
    const usual: Readonly<Record<string, string>> = { openai: OPENAI, "openai-native": OPENAI, anthropic: ANTHROPIC };
    const bases = Object.entries(configObjectIn(jsonObject(read(path)).providers)).flatMap(([name, provider]) => {
      const url = baseUrlOf(configObjectIn(configObjectIn(provider).settings).baseUrl, usual[name]);
      return url === undefined ? [] : [[["providers", name, "settings", "baseUrl"], url] as const];
    });
    if (bases.length === 0) return {};
    const copy = copyThrough(surroundings, path, bases, through);
    return { environment: { [variable]: copy.at }, copy };
  },
};

/** Continue's command line. Each model of its configuration file tells it a base URL; an argument says where that is. */
const continueCli: Agent = {
  name: "continue",
  title: "Continue",
  command: "cn",
  wire(surroundings, through) {
    const { args, cwd, env, home, read } = surroundings;
    const said = optionsIn(args, ["--config"]).at(-1);
    const usual = join(env.CONTINUE_GLOBAL_DIR || join(home, ".continue"), "config.yaml");
    const path = said === undefined ? usual : resolve(cwd, said.value);
    const { models } = parsedConfig(read(path), parse);
    const bases = (Array.isArray(models) ? models : []).flatMap((model, index) => {
      const { apiBase, provider } = configObjectIn(model);
      const url = baseUrlOf(apiBase, USUAL[String(provider)]);
      return url === undefined ? [] : [[["models", index, "apiBase"], url] as const];
    });
    if (bases.length === 0) return {};
    const copy = copyThrough(surroundings, path, bases, through);
    return said === undefined ? { args: ["--config", copy.at], copy } : { own: withOption(args, said, copy.at), copy };
  },
};

/** opencode. The configuration in its variable is merged over all of its files. */
const opencode: Agent = {
  name: "opencode",
  title: "opencode",
  command: "opencode",
  wire(surroundings, through) {
    const variable = "OPENCODE_CONFIG_CONTENT";
    const config = jsonObject(surroundings.env[variable]);
    const files = opencodeFiles(surroundings).map((path) => jsonObject(surroundings.read(path)));
    const bases = Object.assign({ ...USUAL }, ...[...files, config].map(basesIn)) as typeof USUAL;
    const provider: Record<string, unknown> = { ...configObjectIn(config.provider) };
    for (const [name, url] of Object.entries(bases)) {
      const own = configObjectIn(provider[name]);
      provider[name] = { ...own, options: { ...configObjectIn(own.options), baseURL: through(url) } };
    }
    return { environment: { [variable]: JSON.stringify({ ...config, provider }) } };
  },
};

function basesIn(config: ConfigObject): Readonly<Record<string, string>> {
  const bases = Object.entries(configObjectIn(config.provider)).flatMap(([name, provider]) => {
    const url = configObjectIn(configObjectIn(provider).options).baseURL;
    return typeof url === "string" ? [[name, url] as const] : [];
  });
  return Object.fromEntries(bases);
}

/** In the order in which one overrules the other: the user's, then those from the root of the repository down to this folder. */
function opencodeFiles({ cwd, env, home, read }: AgentEnvironment): readonly string[] {
  const user = join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  const folders = [user, ...foldersAround({ cwd, read }).folders.toReversed()];
  const files = folders.flatMap((folder) => [join(folder, "opencode.json"), join(folder, "opencode.jsonc")]);
  return env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG, ...files] : files;
}

export const agents: readonly Agent[] = [
  claude,
  codex,
  gemini,
  opencode,
  qwen,
  aider,
  cline,
  continueCli,
  byVariables("goose", "goose", { OPENAI_HOST: "https://api.openai.com", ANTHROPIC_HOST: ANTHROPIC }),
];

const SYNONYMS: Readonly<Record<string, string>> = {
  "claude-code": "claude",
  "gemini-cli": "gemini",
  "qwen-code": "qwen",
  cn: "continue",
};

export function agentNamed(name: string): Agent | undefined {
  return agents.find((agent) => agent.name === (SYNONYMS[name] ?? name));
}
