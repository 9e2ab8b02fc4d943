import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished } from "vitest";

export const recipes = resolve(import.meta.dirname, "../../deploy/recipes");

/** Runs a program on a recipe whose addresses are replaced by those of the test. */
export function play(
  recipe: string,
  changes: Readonly<Record<string, string>>,
  start: (file: string) => readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "unloop-recipe-"));
  let text = readFileSync(join(recipes, recipe), "utf8").replaceAll("/tmp/unloop-", `${folder}/`);
  for (const [from, to] of Object.entries(changes)) {
    expect(text).toContain(from);
    text = text.replaceAll(from, to);
  }
  writeFileSync(join(folder, recipe), text);
  const [program = "", ...args] = start(join(folder, recipe));
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } });
  let said = "";
  child.stderr.on("data", (bytes) => {
    said = `${said}${bytes}`.slice(-2_000);
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill("SIGTERM")) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  return { said: () => said };
}

/** Until it answers at all. */
export async function answers(url: string, { said }: { readonly said: () => string }): Promise<void> {
  const ask = () =>
    fetch(url).then(
      ({ status }) => status < 500,
      () => false,
    );
  await expect.poll(ask, { timeout: 30_000, message: said() }).toBe(true);
}

export const nginx = (file: string) => ["nginx", "-c", file, "-e", "stderr", "-g", "daemon off;"];
