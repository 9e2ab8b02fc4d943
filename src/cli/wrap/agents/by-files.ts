import { join, resolve } from "node:path";
import { parse } from "yaml";
import {
  type Agent,
  type AgentEnvironment,
  ANTHROPIC,
  configObjectIn,
  copyThrough,
  foldersAround,
  jsonObject,
  OPENAI,
  optionsIn,
  parsedConfig,
  type Wiring,
  withOption,
} from "../agent.ts";

/** The providers whose base URL is known without configuration. */
const USUAL: Readonly<Record<string, string>> = { openai: OPENAI, anthropic: `${ANTHROPIC}/v1` };

const UNCHANGED: Wiring = { environment: {}, args: [], copies: [] };

/** The base URL that a file names, or that of the provider. */
const baseUrlOf = (named: unknown, usual: string | undefined) =>
  typeof named === "string" && named !== "" ? named : usual;

const AIDER_OPENAI = ["AIDER_OPENAI_API_BASE", "OPENAI_API_BASE", "OPENAI_BASE_URL"];
const AIDER_ANTHROPIC = ["ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"];

/** aider. A variable of its own goes before its configuration files, and these before the variables of OpenAI's SDK. */
export const aider: Agent = {
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
    const openai = through(set(AIDER_OPENAI.slice(0, 1)) || inFiles || set(AIDER_OPENAI.slice(1)) || OPENAI);
    const anthropic = through(set(AIDER_ANTHROPIC) ?? ANTHROPIC);
    const environment = [
      ...AIDER_OPENAI.map((name) => [name, openai]),
      ...AIDER_ANTHROPIC.map((name) => [name, anthropic]),
    ];
    return { ...UNCHANGED, environment: Object.fromEntries(environment) };
  },
};

/** cline. Its provider file alone tells it a base URL; a variable says where that is. */
export const cline: Agent = {
  name: "cline",
  title: "cline",
  command: "cline",
  wire(surroundings, through) {
    const variable = "CLINE_PROVIDER_SETTINGS_PATH";
    const { env, home } = surroundings;
    const folder = env.CLINE_DATA_DIR || join(env.CLINE_DIR || join(home, ".cline"), "data");
    const path = env[variable] || join(folder, "settings", "providers.json");
    const { providers } = jsonObject(surroundings.read(path));
    const usual: Readonly<Record<string, string>> = { openai: OPENAI, "openai-native": OPENAI, anthropic: ANTHROPIC };
    const bases = Object.entries(configObjectIn(providers)).flatMap(([name, provider]) => {
      const value = baseUrlOf(configObjectIn(configObjectIn(provider).settings).baseUrl, usual[name]);
      return value === undefined ? [] : [{ at: ["providers", name, "settings", "baseUrl"], value }];
    });
    if (bases.length === 0) return UNCHANGED;
    const copy = copyThrough(surroundings, path, "json", bases, through);
    return { environment: { [variable]: copy.at }, args: [], copies: [copy] };
  },
};

/** Continue's command line. Each model of its configuration file tells it a base URL; an argument says where that is. */
export const continueCli: Agent = {
  name: "continue",
  title: "Continue",
  command: "cn",
  wire(surroundings, through) {
    const { args, cwd, env, home, read } = surroundings;
    const said = optionsIn(args, ["--config"]).at(-1);
    const path = said
      ? resolve(cwd, said.value)
      : join(env.CONTINUE_GLOBAL_DIR || join(home, ".continue"), "config.yaml");
    const { models } = parsedConfig(read(path), parse);
    const bases = (Array.isArray(models) ? models : []).flatMap((model, index) => {
      const { apiBase, provider } = configObjectIn(model);
      const value = baseUrlOf(apiBase, USUAL[String(provider)]);
      return value === undefined ? [] : [{ at: ["models", index, "apiBase"], value }];
    });
    if (bases.length === 0) return UNCHANGED;
    const copy = copyThrough(surroundings, path, "yaml", bases, through);
    if (said === undefined) return { environment: {}, args: ["--config", copy.at], copies: [copy] };
    return { environment: {}, args: [], own: withOption(args, said, copy.at), copies: [copy] };
  },
};

/** opencode. The configuration in its variable is merged over all of its files. */
export const opencode: Agent = {
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
    return { ...UNCHANGED, environment: { [variable]: JSON.stringify({ ...config, provider }) } };
  },
};

function basesIn(config: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
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
