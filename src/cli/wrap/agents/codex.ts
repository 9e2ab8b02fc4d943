import { join } from "node:path";
import { parse } from "smol-toml";
import { isObject } from "../../../text/is-object.ts";
import {
  type Agent,
  type AgentEnvironment,
  type ConfigObject,
  configObjectIn,
  jsonObject,
  OPENAI,
  optionsIn,
  parsedConfig,
} from "../agent.ts";

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

/** What is no TOML is a text. */
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
