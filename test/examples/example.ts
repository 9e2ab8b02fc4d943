import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export const examplePath = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

/** Starts an example as its first lines say, from the repository's folder. */
export function startExample(name: string, env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, ["--import", "tsx", examplePath(name)], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, OPENAI_API_KEY: "sk-test", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** What an example prints until it ends by itself. */
export async function printedBy(name: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const child = startExample(name, env);
  if (child.stdout === null) throw new Error("the example's output is not piped");
  const printed = await text(child.stdout);
  return printed.trimEnd().split("\n");
}
