import type { SessionStore, ThreadKey } from "../../store/store.ts";
import { type CachedThread, type StoredCopy, type ThreadCache, unsavedTurns } from "./thread-cache.ts";
import { readProgress, standingOf, successionOf } from "../ledger/progress.ts";
import { ledgerText } from "../ledger/ledger-text.ts";

/** Write-back wrapper around a store: flushes a cached thread before its record is read or written. */
export function writeBackStore(cache: ThreadCache, store: SessionStore, ttlMs: number): SessionStore {
  const settle = async (key: ThreadKey): Promise<void> => {
    const cachedThread = cache.take(key);
    if (cachedThread !== undefined && unsavedTurns(cachedThread) > 0) await writeBack(cachedThread, store, ttlMs);
  };
  return {
    async read(key) {
      await settle(key);
      return store.read(key);
    },
    async write(key, ...record) {
      await settle(key);
      return store.write(key, ...record);
    },
    async remove(key) {
      await settle(key);
      await store.remove(key);
    },
    close: () => store.close(),
  };
}

/** Writes one cached thread back. Resolves to false where the store has something newer. @throws whatever the store throws. */
export function writeBack(cachedThread: CachedThread, store: SessionStore, ttlMs: number): Promise<boolean> {
  return writeInTurn(cachedThread.stored, () => writeNow(cachedThread, store, ttlMs));
}

/** Runs a write of a thread when no other one is under way. @param write resolves to false where the store has something else */
export async function writeInTurn(stored: StoredCopy, write: () => Promise<boolean>): Promise<boolean> {
  while (stored.writing !== undefined) await stored.writing;
  if (stored.isOverwritten) return false;
  const writing = write();
  noteWriting(stored, writing);
  return writing;
}

/** Notes what comes of a write that is under way; whoever asked for it hears of its failure. */
export function noteWriting(stored: StoredCopy, isWritten: Promise<boolean>): void {
  const note = (isThere: boolean) => {
    stored.isOverwritten = !isThere;
    stored.writing = undefined;
  };
  stored.writing = isWritten.then(note, () => note(true));
}

/** Writes back at once, where no other write of the thread is under way. */
export async function writeNow(
  cachedThread: CachedThread,
  store: SessionStore,
  ttlMs: number,
  write = written,
): Promise<boolean> {
  const { identity, alias, stored, turns } = cachedThread;
  const { alias: storedAlias, turns: before } = stored;
  stored.turns = turns;
  try {
    const [isWritten] = await Promise.all([
      write(cachedThread, store, ttlMs),
      storedAlias === undefined || storedAlias === alias ? undefined : store.remove(storedAlias),
      alias === undefined ? undefined : store.write(alias, identity.thread, 0, ttlMs),
    ]);
    stored.alias = alias;
    return isWritten;
  } catch (error) {
    stored.turns = before;
    throw error;
  }
}

/** Replicas that answer one run at the same moment get in each other's way so often at most. */
const MAX_RACES = 3;

/**
 * The same for a thread that other replicas serve, too. Replicas that take turns come to the same ledger each, with the steps
 * that its request told; so one that is only behind is replaced, and one that is ahead stays. False where it holds anything
 * that is not in this one.
 */
export async function writeNowAmongOthers(
  cachedThread: CachedThread,
  store: SessionStore,
  ttlMs: number,
): Promise<boolean> {
  const { identity, save, stored } = cachedThread;
  for (let race = 0; race < MAX_RACES; race++) {
    if (await writeNow(cachedThread, store, ttlMs, succeeded)) return true;
    const record = await store.read(identity.thread);
    const standing = record === undefined ? "behind" : standingOf(readProgress(record.json), save);
    if (standing === undefined) return false;
    stored.version = record?.version ?? 0;
    if (standing === "ahead") {
      stored.turns = cachedThread.turns;
      return true;
    }
  }
  return false;
}

/** No record has it: what is there gives way by its mark alone. */
const UNKNOWN_VERSION = -1;

/** In place of a record that is known to be behind, without its being read. */
async function succeeded({ identity, save, stored }: CachedThread, store: SessionStore, ttlMs: number) {
  const isWritten = await store.write(identity.thread, ledgerText(save), stored.version, ttlMs, successionOf(save));
  if (isWritten) stored.version = UNKNOWN_VERSION;
  return isWritten;
}

async function written({ identity, save, stored }: CachedThread, store: SessionStore, ttlMs: number): Promise<boolean> {
  const json = ledgerText(save);
  const { version } = stored;
  if (await store.write(identity.thread, json, version, ttlMs)) {
    stored.version = version + 1;
    return true;
  }
  // The store may have forgotten the thread meanwhile; whatever else it has of it is newer.
  if (version === 0 || !(await store.write(identity.thread, json, 0, ttlMs))) return false;
  stored.version = 1;
  return true;
}

/** Concurrency of a flush, in threads: with more at once a store keeps some waiting beyond its deadline. */
const AT_ONCE = 64;

/** Flushes all cached threads that have unsaved turns, as far as the store takes them. */
export async function flush(cache: ThreadCache, store: SessionStore, ttlMs: number): Promise<void> {
  const unsaved = cache.takeUnsaved();
  for (let from = 0; from < unsaved.length; from += AT_ONCE)
    await Promise.allSettled(unsaved.slice(from, from + AT_ONCE).map((one) => writeBack(one, store, ttlMs)));
}
