import { join } from "node:path";
import { parse } from "yaml";
import { type Agent, ANTHROPIC, OPENAI, type AgentEnvironment } from "../agent.ts";
import { configObjectIn } from "../config-text.ts";
import { foldersAround } from "../repository.ts";

const FILE = ".aider.conf.yml";
const OPENAI_VARIABLES = ["AIDER_OPENAI_API_BASE", "OPENAI_API_BASE", "OPENAI_BASE_URL"];
const ANTHROPIC_VARIABLES = ["ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"];

/** aider. A variable of its own goes before its configuration files, and these before the variables of OpenAI's SDK. */
export const aider: Agent = {
  name: "aider",
  title: "aider",
  command: "aider",
  files: () => [],
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
    return { environment: Object.fromEntries(environment), args: [], files: [] };
  },
};

/** That of the nearest folder, up to the root of the repository, goes before that of the home folder. */
function inFiles({ cwd, home, read }: AgentEnvironment): string | undefined {
  const { repository } = foldersAround({ cwd, read });
  const places = [cwd, ...(repository === undefined ? [] : [repository]), home];
  return places.map((folder) => baseIn(read(join(folder, FILE)))).find((base) => base !== undefined);
}

function baseIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const base = configObjectIn(parse(text))["openai-api-base"];
    return typeof base === "string" ? base : undefined;
  } catch {
    // aider itself will say what is wrong with its file.
    return undefined;
  }
}
