import { join } from "node:path";
import {
  type Agent,
  type AgentEnvironment,
  ANTHROPIC,
  configObjectIn,
  foldersAround,
  jsonObject,
  OPENAI,
} from "../agent.ts";

/** The providers whose base URL is known without configuration. */
const USUAL: Readonly<Record<string, string>> = { openai: OPENAI, anthropic: `${ANTHROPIC}/v1` };

const VARIABLE = "OPENCODE_CONFIG_CONTENT";

/** opencode. The configuration in its variable is merged over all of its files. */
export const opencode: Agent = {
  name: "opencode",
  title: "opencode",
  command: "opencode",
  wire(surroundings, through) {
    const config = jsonObject(surroundings.env[VARIABLE]);
    const bases = { ...USUAL, ...basesInFiles(surroundings), ...basesIn(config) };
    const provider: Record<string, unknown> = { ...configObjectIn(config.provider) };
    for (const [name, url] of Object.entries(bases)) {
      const own = configObjectIn(provider[name]);
      provider[name] = { ...own, options: { ...configObjectIn(own.options), baseURL: through(url) } };
    }
    return { environment: { [VARIABLE]: JSON.stringify({ ...config, provider }) }, args: [], copies: [] };
  },
};

function basesInFiles(surroundings: AgentEnvironment): Readonly<Record<string, string>> {
  const bases: Record<string, string> = {};
  for (const path of configFiles(surroundings)) Object.assign(bases, basesIn(jsonObject(surroundings.read(path))));
  return bases;
}

function basesIn(config: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const bases: Record<string, string> = {};
  for (const [name, provider] of Object.entries(configObjectIn(config.provider))) {
    const url = configObjectIn(configObjectIn(provider).options).baseURL;
    if (typeof url === "string") bases[name] = url;
  }
  return bases;
}

/** In the order in which one overrules the other: the user's, then those from the root of the repository down to this folder. */
function configFiles({ cwd, env, home, read }: AgentEnvironment): readonly string[] {
  const user = join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  const folders = [user, ...foldersAround({ cwd, read }).folders.toReversed()];
  const files = folders.flatMap((folder) => [join(folder, "opencode.json"), join(folder, "opencode.jsonc")]);
  return env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG, ...files] : files;
}
