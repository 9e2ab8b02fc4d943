import { existsSync } from "node:fs";
import { chmod, open, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { UnloopError } from "../../errors.ts";
import { isGuard } from "../guard-health.ts";
import type { FileChange } from "./agent.ts";
import { type ChangeJournal, changedFor, type Holder, isJournal, JOURNAL } from "./wrapped-file.ts";

const LOCK = ".unloop-wrap.lock";

/** Another wrap holds a file's lock for milliseconds; one that has died with it is waited for no longer than this. */
const LOCK_MS = 5_000;

/** Points a file at this wrap's guard. @throws UnloopError `bad_setting` where it cannot be written */
export async function holdFile({ path, format, values }: FileChange, own: Omit<Holder, "values">): Promise<void> {
  await change(path, format, (holders) => [...holders, { ...own, values }]);
}

/** Which wraps no longer need a file: `ended` for those whose process is gone, `every` for the living ones, too, or one by its process. */
export type Released = "ended" | "every" | { readonly pid: number };

/** Gives a file back as far as no other wrap holds it. Gives whether it had been changed. @throws UnloopError `bad_setting` */
export async function releaseFile(path: string, which: Released): Promise<boolean> {
  const at = await realPathOf(path);
  if (!existsSync(at + JOURNAL)) return false;
  await change(path, undefined, (holders) => holders.filter((holder) => staysHeld(holder, which)));
  return true;
}

function staysHeld({ pid }: Holder, which: Released): boolean {
  return which === "ended" || (which !== "every" && which.pid !== pid);
}

/** Changes a file and its journal under a lock: the journal first, so that a process that is killed leaves a way back. */
async function change(
  path: string,
  format: FileChange["format"] | undefined,
  next: (living: readonly Holder[]) => readonly Holder[],
): Promise<void> {
  const at = await realPathOf(path);
  await withLock(at, async () => {
    const journal = await journalOf(at);
    const kind = format ?? journal?.format;
    if (kind === undefined) return;
    const text = await readFile(at, "utf8");
    const holders = next(await living(journal?.holders ?? []));
    const changed = changedFor(text, kind, journal, holders);
    if (changed.journal !== undefined) await replace(at + JOURNAL, JSON.stringify(changed.journal), 0o600);
    if (changed.text !== text) await replace(at, changed.text, (await stat(at)).mode);
    if (changed.journal === undefined) await rm(at + JOURNAL, { force: true });
  });
}

/** Atomic write, so that no reader sees half a file. */
async function replace(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, text, { mode });
  // The umask has had its say on what was just created.
  await chmod(draft, mode);
  await rename(draft, path);
}

async function journalOf(path: string): Promise<ChangeJournal | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path + JOURNAL, "utf8"));
    return isJournal(value) ? value : undefined;
  } catch {
    // None, or one cut short before the file itself was touched.
    return undefined;
  }
}

async function living(holders: readonly Holder[]): Promise<readonly Holder[]> {
  const alive = await Promise.all(holders.map(isAlive));
  return holders.filter((_, index) => alive[index]);
}

/** The process is there and its guard answers; a number alone may be another process's by now. */
async function isAlive({ pid, guard }: Holder): Promise<boolean> {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
  } catch {
    // There is no such process.
    return false;
  }
  return isGuard(guard, 1_000);
}

async function withLock(path: string, run: () => Promise<void>): Promise<void> {
  const lock = path + LOCK;
  const until = Date.now() + LOCK_MS;
  for (;;) {
    try {
      const handle = await open(lock, "wx");
      await handle.close();
      break;
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw unwritable(path, error);
      if (Date.now() > until) await rm(lock, { force: true });
      await sleep(25);
    }
  }
  try {
    await run();
  } catch (error) {
    throw error instanceof UnloopError ? error : unwritable(path, error);
  } finally {
    await rm(lock, { force: true });
  }
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // It does not exist: what follows will say so.
    return path;
  }
}

function unwritable(path: string, cause: unknown): UnloopError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new UnloopError(
    "bad_setting",
    `${path} cannot be changed (${why}). Correct its permissions, or set the base URL in it by hand.`,
  );
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
