import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const examplePath = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

function start(name: string, env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, ["--import", "tsx", examplePath(name)], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, OPENAI_API_KEY: "sk-test", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

export async function urlOfApp(name: string, env: Readonly<Record<string, string>>): Promise<string> {
  const app = start(name, { PORT: "0", ...env });
  onTestFinished(async () => {
    app.kill();
    await once(app, "exit");
  });
  const [line] = await once(app.stdout ?? app, "data");
  return String(line).trim();
}

export async function printedBy(name: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { stdout } = start(name, env);
  if (stdout === null) throw new Error("the example's output is not piped");
  return (await text(stdout)).trimEnd().split("\n");
}
