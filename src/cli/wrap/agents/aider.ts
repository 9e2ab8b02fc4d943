import { join } from "node:path";
import { parse } from "yaml";
import { type Agent, type AgentEnvironment, ANTHROPIC, foldersAround, OPENAI, parsedConfig } from "../agent.ts";

const FILE = ".aider.conf.yml";
const OPENAI_VARIABLES = ["AIDER_OPENAI_API_BASE", "OPENAI_API_BASE", "OPENAI_BASE_URL"];
const ANTHROPIC_VARIABLES = ["ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"];

/** aider. A variable of its own goes before its configuration files, and these before the variables of OpenAI's SDK. */
export const aider: Agent = {
  name: "aider",
  title: "aider",
  command: "aider",
  wire(surroundings, through) {
    const { env } = surroundings;
    const set = (names: readonly string[]) => names.map((name) => env[name]).find((value) => value);
    const [own = "", ...shared] = OPENAI_VARIABLES;
    const openai = through(env[own] || inFiles(surroundings) || set(shared) || OPENAI);
    const anthropic = through(set(ANTHROPIC_VARIABLES) ?? ANTHROPIC);
    const environment = [
      ...OPENAI_VARIABLES.map((name) => [name, openai]),
      ...ANTHROPIC_VARIABLES.map((name) => [name, anthropic]),
    ];
    return { environment: Object.fromEntries(environment), args: [], copies: [] };
  },
};

/** That of the nearest folder, up to the root of the repository, goes before that of the home folder. */
function inFiles({ cwd, home, read }: AgentEnvironment): string | undefined {
  const { repository } = foldersAround({ cwd, read });
  const places = [cwd, ...(repository === undefined ? [] : [repository]), home];
  const bases = places.map((folder) => parsedConfig(read(join(folder, FILE)), parse)["openai-api-base"]);
  return bases.find((base) => typeof base === "string");
}
