import { randomBytes } from "node:crypto";
import { open, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { UnloopError } from "../errors.ts";

/** Another change takes milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Changes the text of a file, one process at a time: of a link the file that it leads to. A reader sees the text before or behind
 * the change, and the mode stays. @throws UnloopError `bad_setting` where it cannot be written, and whatever `change` throws
 */
export async function changeFile(path: string, change: (text: string) => string): Promise<void> {
  try {
    const file = await realpath(path);
    const lock = `${file}.unloop.lock`;
    await takeLock(lock);
    try {
      const text = await readFile(file, "utf8");
      const next = change(text);
      if (next !== text) await replace(file, next);
    } finally {
      await rm(lock, { force: true });
    }
  } catch (error) {
    if (error instanceof UnloopError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UnloopError("bad_setting", `${path} cannot be changed (${why}). Correct its permissions.`, {
      cause: error,
    });
  }
}

/** A draft of a name that nobody else has takes its place at once. */
async function replace(file: string, text: string): Promise<void> {
  const { mode } = await stat(file);
  const draft = `${file}.${randomBytes(6).toString("hex")}.new`;
  const handle = await open(draft, "wx", mode);
  try {
    // The umask has had its say on what was just created.
    await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.close();
    await rename(draft, file);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

/** The lock has the number of its process: of one that has died it is taken over. */
async function takeLock(lock: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await writeFile(lock, String(process.pid), { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    const holder = Number(await readFile(lock, "utf8").catch(() => ""));
    if (holder > 0 && !isAlive(holder)) await rm(lock, { force: true });
    else if (Date.now() > until)
      throw new UnloopError("bad_setting", `${lock} is held by another process. Remove it if there is none.`);
    await sleep(25);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
