import { join } from "node:path";
import { type Agent, type AgentEnvironment, GEMINI, ledThrough, VERTEX } from "../agent.ts";
import { foldersAround } from "../repository.ts";

/** Gemini CLI with a key. Variables of its environment go before those of the one file that it reads. A login leads elsewhere. */
export const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  command: "gemini",
  files: () => [],
  wire(surroundings, through) {
    const { env } = surroundings;
    const file = envFile(surroundings);
    const led = (name: string, usual: string) => [name, ledThrough(through, env[name] || valueIn(file, name) || usual)];
    const environment = [led("GOOGLE_GEMINI_BASE_URL", GEMINI), led("GOOGLE_VERTEX_BASE_URL", VERTEX)];
    return { environment: Object.fromEntries(environment), args: [], files: [] };
  },
};

/** The nearest, up to the root of the disk, and that of the home folder after all others. */
function envFile({ cwd, home, read }: AgentEnvironment): string {
  const { folders } = foldersAround({ cwd, read: () => undefined });
  const paths = [...folders, home].flatMap((folder) => [join(folder, ".gemini", ".env"), join(folder, ".env")]);
  return paths.map(read).find((text) => text !== undefined) ?? "";
}

function valueIn(file: string, name: string): string | undefined {
  return new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=\\s*["']?([^"'\\s#]+)`, "m").exec(file)?.[1];
}
