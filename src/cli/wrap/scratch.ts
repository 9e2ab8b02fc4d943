import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changeFile, isAlive } from "../change-file.ts";
import type { FileCopy } from "./agent.ts";

const NAME = "unloop-wrap-";

/** A folder of this wrap alone, for changed copies of an agent's files, which may hold keys. */
export async function scratchFolder(): Promise<string> {
  await removeLeftOver();
  return mkdtemp(join(tmpdir(), `${NAME}${process.pid}-`));
}

/** Of wraps that were killed. */
async function removeLeftOver(): Promise<void> {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(NAME));
  const dead = names.filter((name) => !isAlive(Number(name.slice(NAME.length).split("-")[0])));
  await Promise.all(
    dead.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)),
  );
}

export async function writeCopies(copies: readonly FileCopy[]): Promise<void> {
  for (const { at, text } of copies) await writeFile(at, text, { mode: 0o600 });
}

/** What the agent has changed in a copy goes into its own file, without the guard's addresses. */
export async function giveBack(copies: readonly FileCopy[]): Promise<void> {
  for (const { at, text, source, through } of copies) {
    if (source === undefined || !existsSync(at)) continue;
    const now = await readFile(at, "utf8");
    if (now === text) continue;
    const own = through.reduce((rest, [guard, url]) => rest.replaceAll(guard, url), now);
    await changeFile(source, () => own);
  }
}
