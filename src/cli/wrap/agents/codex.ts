import { join } from "node:path";
import { parse } from "smol-toml";
import { type Agent, OPENAI, type AgentEnvironment } from "../agent.ts";
import { jsonObject, configObjectIn, parsedConfig } from "../config-text.ts";

const CHATGPT = "https://chatgpt.com/backend-api/codex";

/** Codex. Its `-c key=value` goes before its configuration file; it reads no variable for the base URL. */
export const codex: Agent = {
  name: "codex",
  title: "Codex",
  command: "codex",
  files: () => [],
  wire(surroundings, through) {
    const { key, url } = providerIn(surroundings);
    return { environment: {}, args: ["-c", `${key}=${JSON.stringify(through(url))}`], files: [] };
  },
};

/** The setting that holds the base URL of the provider in use, and the base URL. */
function providerIn(surroundings: AgentEnvironment): { readonly key: string; readonly url: string } {
  const folder = surroundings.env.CODEX_HOME || join(surroundings.home, ".codex");
  const config = parsedConfig(surroundings.read(join(folder, "config.toml")), parse);
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

/** With an account in place of a key it speaks to another host. */
function isSignedInByChatGpt({ env, read }: AgentEnvironment, folder: string): boolean {
  if (env.CODEX_API_KEY) return false;
  const { tokens } = jsonObject(read(join(folder, "auth.json")));
  return typeof configObjectIn(tokens).access_token === "string";
}

function quoted(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}
