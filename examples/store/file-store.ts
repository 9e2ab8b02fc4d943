/**
 * A session store of your own: one file for each thread, so that one process finds its sessions again after a restart.
 * docs/guides/store.md explains it line by line. It is held to the same contract as the stores that ship with Unloop.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isTaken, type Plain, refuseOversized, type SessionStore, type Stored } from "unloop";

export interface FileStore extends SessionStore {
  /** Deletes what has expired; a server calls it now and then. */
  sweep(): Promise<void>;
}

interface Entry extends Stored {
  readonly plain?: Plain | undefined;
  readonly expiresAt: number;
}

/** @param now Unix milliseconds; a test gives a clock of its own */
export function fileStore(folder: string, now: () => number = Date.now): FileStore {
  const inTurn = oneAtATime();
  // A key is a text of any kind, and some file systems do not tell upper from lower case.
  const fileOf = (key: string) => join(folder, createHash("sha256").update(key).digest("hex"));

  const entryIn = async (file: string): Promise<Entry | undefined> => {
    const text = await readFile(file, "utf8").catch(undefinedIfMissing);
    const entry: Entry | undefined = text === undefined ? undefined : JSON.parse(text);
    return entry !== undefined && entry.expiresAt > now() ? entry : undefined;
  };

  return {
    async read(key) {
      const file = fileOf(key);
      const entry = await inTurn(file, () => entryIn(file));
      return entry && { json: entry.json, version: entry.version };
    },
    // Reading, comparing and writing belong together, so that of several writers one wins.
    async write(key, json, expectedVersion, ttlMs, plain) {
      refuseOversized(json);
      const file = fileOf(key);
      return inTurn(file, async () => {
        const stored = await entryIn(file);
        if (!isTaken(stored, expectedVersion, plain)) return false;
        await put(file, { json, version: (stored?.version ?? 0) + 1, plain, expiresAt: now() + ttlMs });
        return true;
      });
    },
    async remove(key) {
      await inTurn(fileOf(key), () => rm(fileOf(key), { force: true }));
    },
    async close() {},
    async sweep() {
      const names = await readdir(folder).catch(undefinedIfMissing);
      for (const file of (names ?? []).filter((name) => !name.endsWith(NEW)).map((name) => join(folder, name)))
        await inTurn(file, async () => {
          if ((await entryIn(file)) === undefined) await rm(file, { force: true });
        });
    },
  };
}

const NEW = ".new";

/** Renaming is atomic: a process that dies here leaves the old file, never half of the new one. */
async function put(file: string, entry: Entry): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file + NEW, JSON.stringify(entry));
  await rename(file + NEW, file);
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}

/** Runs the tasks for one file one after the other, those for different files side by side. */
function oneAtATime(): <T>(file: string, task: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (file, task) => {
    const result = (last.get(file) ?? Promise.resolve()).then(task);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    last.set(file, settled);
    void settled.then(() => {
      if (last.get(file) === settled) last.delete(file);
    });
    return result;
  };
}
