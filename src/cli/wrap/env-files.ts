import { join } from "node:path";
import type { AgentEnvironment } from "./agent.ts";
import { foldersAround } from "./repository.ts";

/** Texts of `FOLDER/.env` and `.env`: the nearest up to the root of the disk first, those of the home folder after all others. */
export function envFiles({ cwd, home, read }: AgentEnvironment, folder: string): readonly string[] {
  const { folders } = foldersAround({ cwd, read: () => undefined });
  const paths = [...folders, home].flatMap((one) => [join(one, folder, ".env"), join(one, ".env")]);
  return paths.flatMap((path) => read(path) ?? []);
}

/** What a `.env` file says of a variable. */
export function valueIn(file: string, name: string): string | undefined {
  return new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=\\s*["']?([^"'\\s#]+)`, "m").exec(file)?.[1];
}
