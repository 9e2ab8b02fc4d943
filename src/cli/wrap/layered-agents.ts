import { join, resolve } from "node:path";
import { parse } from "smol-toml";
import { isObject } from "../../text/is-object.ts";
import {
  type Agent,
  type AgentEnvironment,
  ANTHROPIC,
  type ConfigObject,
  configObjectIn,
  copyThrough,
  envFiles,
  type FileCopy,
  jsonObject,
  ledThrough,
  OPENAI,
  optionsIn,
  parsedConfig,
  type Through,
  valueIn,
  VERTEX,
  withOption,
  withValue,
} from "./agent.ts";

// Agents that look for their base URL in several places, of which one goes before the others.

/** Claude Code. Variables in its settings files go before those of its environment, and `--settings` goes before all. */
export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  command: "claude",
  wire(surroundings, through) {
    const said = saidSettings(surroundings);
    const texts = [said?.text, ...claudeFiles(surroundings).map(surroundings.read)];
    const settings = texts.map((text) => configObjectIn(jsonObject(text).env));
    const setIn = (name: string) => settings.map((env) => env[name]).find((value) => typeof value === "string");
    const isOnVertex = /^(1|true|yes|on)$/i.test(
      setIn("CLAUDE_CODE_USE_VERTEX") ?? surroundings.env.CLAUDE_CODE_USE_VERTEX ?? "",
    );
    const [name, usual] = isOnVertex
      ? ["ANTHROPIC_VERTEX_BASE_URL", `${VERTEX}/v1`]
      : ["ANTHROPIC_BASE_URL", ANTHROPIC];
    const inSettings = setIn(name);
    const url = ledThrough(through, inSettings ?? (surroundings.env[name] || usual));
    const environment = { [name]: url };
    // A file of theirs that is not there is the agent's to complain of.
    if (inSettings === undefined || (said !== undefined && said.text === undefined)) return { environment };
    if (said === undefined) return { environment, args: ["--settings", JSON.stringify({ env: environment })] };
    const at = ["env", name];
    const { option, path, text = "" } = said;
    const own = (value: string) => withOption(surroundings.args, option, value);
    if (path === undefined) return { environment, own: own(withValue(text, at, url)) };
    const copy = copyThrough(surroundings, path, [[at, inSettings]], (base) => ledThrough(through, base));
    return { environment, own: own(copy.at), copy };
  },
};

/** The user's own `--settings`: JSON, or a file of it. */
function saidSettings({ args, cwd, read }: AgentEnvironment) {
  const option = optionsIn(args, ["--settings"]).at(-1);
  if (option === undefined) return undefined;
  if (option.value.trimStart().startsWith("{")) return { option, path: undefined, text: option.value };
  const path = resolve(cwd, option.value);
  return { option, path, text: read(path) };
}

function claudeFiles({ cwd, env, home }: AgentEnvironment): readonly string[] {
  const own = env.CLAUDE_CONFIG_DIR || join(home, ".claude");
  return [
    join(cwd, ".claude", "settings.local.json"),
    join(cwd, ".claude", "settings.json"),
    join(own, "settings.json"),
  ];
}

const CONFIG = ["-c", "--config"];
const PROFILE = ["-p", "--profile"];
const CHATGPT = "https://chatgpt.com/backend-api/codex";

/** Codex. Its `-c key=value` goes before profile and configuration file; it reads no variable for the base URL. */
export const codex: Agent = {
  name: "codex",
  title: "Codex",
  command: "codex",
  wire(surroundings, through) {
    const { key, url } = providerIn(surroundings);
    const option = ["-c", `${key}=${JSON.stringify(through(url))}`];
    const { args } = surroundings;
    // The last one holds: it stands behind the user's own.
    const last = optionsIn(args, CONFIG).at(-1);
    return last === undefined ? { args: option } : { own: args.toSpliced(last.at + 1, 0, ...option) };
  },
};

/** The setting that holds the base URL of the provider in use, and the base URL. */
function providerIn(surroundings: AgentEnvironment): { readonly key: string; readonly url: string } {
  const folder = surroundings.env.CODEX_HOME || join(surroundings.home, ".codex");
  const config = configIn(surroundings, folder);
  const name = config.model_provider;
  const providers = configObjectIn(config.model_providers);
  if (typeof name === "string" && name !== "openai") {
    const url = configObjectIn(providers[name]).base_url;
    if (typeof url === "string") return { key: `model_providers.${quoted(name)}.base_url`, url };
  }
  const own = config.openai_base_url;
  const usual = isSignedInByChatGpt(surroundings, folder) ? CHATGPT : OPENAI;
  return { key: "openai_base_url", url: typeof own === "string" ? own : usual };
}

/** Its file, the profile that is asked for, and the user's own `-c key=value`: each goes before those named earlier. */
function configIn({ args, read }: AgentEnvironment, folder: string): ConfigObject {
  const file = parsedConfig(read(join(folder, "config.toml")), parse);
  const profile = optionsIn(args, PROFILE).at(-1)?.value ?? file.profile;
  const layers = [
    file,
    configObjectIn(configObjectIn(file.profiles)[String(profile)]),
    parsedConfig(read(join(folder, `${profile}.config.toml`)), parse),
    ...optionsIn(args, CONFIG).map(({ value }) => saidConfig(value)),
  ];
  return layers.reduce(layered);
}

function saidConfig(assignment: string): ConfigObject {
  const [, key = "", value = ""] = /^([^=]*)=(.*)$/s.exec(assignment) ?? [];
  const said = parsedConfig(assignment, parse);
  return Object.keys(said).length > 0 ? said : parsedConfig(`${key}=${JSON.stringify(value)}`, parse);
}

function layered(below: ConfigObject, above: ConfigObject): ConfigObject {
  const members = Object.entries(above).map(([name, value]) => [
    name,
    isObject(value) ? layered(configObjectIn(below[name]), value) : value,
  ]);
  return { ...below, ...Object.fromEntries(members) };
}

/** With an account in place of a key it speaks to another host. */
function isSignedInByChatGpt({ env, read }: AgentEnvironment, folder: string): boolean {
  if (env.CODEX_API_KEY) return false;
  const { tokens } = jsonObject(read(join(folder, "auth.json")));
  return typeof configObjectIn(tokens).access_token === "string";
}

function quoted(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

/** Qwen Code. `modelProviders` goes before its argument, that before variables, these before `.env` files and settings, in either order. */
export const qwen: Agent = {
  name: "qwen",
  title: "Qwen Code",
  command: "qwen",
  wire(surroundings, through) {
    const { args } = surroundings;
    const set = settingIn(surroundings);
    const isAnthropic = set.auth.selectedType === "anthropic";
    const said = optionsIn(args, ["--openai-base-url", "--openaiBaseUrl"]).at(-1);
    const own = typeof set.auth.baseUrl === "string" ? set.auth.baseUrl : undefined;
    const openai = through(set.variable("OPENAI_BASE_URL") ?? (isAnthropic ? undefined : own) ?? OPENAI);
    const anthropic = through(set.variable("ANTHROPIC_BASE_URL") ?? (isAnthropic ? own : undefined) ?? ANTHROPIC);
    const copy = systemSettings(surroundings, through);
    return {
      environment: {
        OPENAI_BASE_URL: openai,
        OPENAI_API_BASE: openai,
        ANTHROPIC_BASE_URL: anthropic,
        ...(copy && { [SYSTEM]: copy.at }),
      },
      // It is that of any API, whatever its name says.
      ...(said === undefined
        ? { args: ["--openai-base-url", isAnthropic ? anthropic : openai] }
        : { own: withOption(args, said, through(said.value)) }),
      copy,
    };
  },
};

/** The project's goes before the user's. */
function qwenFiles({ cwd, env, home }: AgentEnvironment): readonly string[] {
  const folders = [join(cwd, ".qwen"), env.QWEN_HOME || join(home, ".qwen")];
  return [...new Set(folders)].map((folder) => join(folder, "settings.json"));
}

function settingIn(surroundings: AgentEnvironment) {
  const settings = qwenFiles(surroundings).map((path) => jsonObject(surroundings.read(path)));
  const auths = settings.map(({ security }) => configObjectIn(configObjectIn(security).auth));
  const texts = envFiles(surroundings, ".qwen");
  return {
    auth: Object.assign({}, ...auths.toReversed()) as Readonly<Record<string, unknown>>,
    variable(name: string): string | undefined {
      const inFiles = texts.map((text) => valueIn(text, name));
      const inSettings = settings.map(({ env }) => configObjectIn(env)[name]);
      const values = [surroundings.env[name], ...inFiles, ...inSettings];
      return values.find((value) => typeof value === "string" && value !== "") as string | undefined;
    },
  };
}

const SYSTEM = "QWEN_CODE_SYSTEM_SETTINGS_PATH";

/** A system's settings go before the user's and the project's: these have the models' own base URLs, through the guard. */
function systemSettings(surroundings: AgentEnvironment, through: Through): FileCopy | undefined {
  const { env, read, scratch } = surroundings;
  const settings = qwenFiles(surroundings).map((path) => jsonObject(read(path)));
  const [providers, model] = ["modelProviders", "model"].map((name) =>
    Object.assign({}, ...settings.toReversed().map((one) => configObjectIn(one[name]))),
  );
  const led = (one: unknown) => {
    const { baseUrl, ...others } = configObjectIn(one);
    return typeof baseUrl === "string" ? { ...others, baseUrl: through(baseUrl) } : one;
  };
  const modelProviders = Object.entries(providers ?? {}).map(([name, models]) => [
    name,
    Array.isArray(models) ? models.map(led) : models,
  ]);
  const own = { modelProviders: Object.fromEntries(modelProviders), model: configObjectIn(led(model)) };
  if (!JSON.stringify(own).includes('"baseUrl"')) return undefined;
  const system = jsonObject(read(env[SYSTEM] || "/etc/qwen-code/settings.json"));
  const text = JSON.stringify({ ...system, ...own, model: { ...configObjectIn(system.model), ...own.model } });
  return { at: join(scratch, "settings.json"), text };
}
