import type { SessionStore, ThreadKey } from "../../store/store.ts";
import type { CachedThread, ThreadCache } from "./thread-cache.ts";
import { readProgress, standingOf } from "../ledger/progress.ts";
import { ledgerText } from "../ledger/ledger-text.ts";
import { pointerTo } from "../identity/aliases.ts";

/** Write-back wrapper around a store: flushes a cached thread before its record is read or written. */
export function writeBackStore(cache: ThreadCache, store: SessionStore, ttlMs: number): SessionStore {
  const settle = async (key: ThreadKey): Promise<void> => {
    const cachedThread = cache.take(key);
    if (cachedThread !== undefined && cachedThread.unsaved > 0) await writeBack(cachedThread, store, ttlMs);
  };
  return {
    async read(key) {
      await settle(key);
      return store.read(key);
    },
    async write(key, json, expectedVersion, writeTtlMs) {
      await settle(key);
      return store.write(key, json, expectedVersion, writeTtlMs);
    },
    async remove(key) {
      await settle(key);
      await store.remove(key);
    },
    close: () => store.close(),
  };
}

/** Writes one cached thread back. Returns its new version in the store; undefined where that has something newer. @throws whatever the store throws. */
export async function writeBack(
  cachedThread: CachedThread,
  store: SessionStore,
  ttlMs: number,
): Promise<number | undefined> {
  const { identity, alias, savedAlias } = cachedThread;
  const version = await written(cachedThread, store, ttlMs);
  await Promise.all([
    savedAlias === undefined || savedAlias === alias ? undefined : store.remove(savedAlias),
    alias === undefined || version === undefined ? undefined : store.write(alias, pointerTo(identity), 0, ttlMs),
  ]);
  return version;
}

/** Replicas that answer one run at the same moment get in each other's way so often at most. */
const MAX_RACES = 3;

/**
 * The same for a thread that other replicas serve, too. Replicas that take turns come to the same ledger each, with the steps
 * that its request told; so one that is only behind is replaced, and one that is ahead stays. Undefined where it holds anything
 * that is not in this one.
 */
export async function writeBackAmongOthers(
  cachedThread: CachedThread,
  store: SessionStore,
  ttlMs: number,
): Promise<number | undefined> {
  for (let race = 0; race < MAX_RACES; race++) {
    const stored = await store.read(cachedThread.identity.thread);
    const version = stored?.version ?? 0;
    const isOurs = stored === undefined || version === cachedThread.version;
    const standing = isOurs ? "behind" : standingOf(readProgress(stored.json), cachedThread.save);
    if (standing !== "behind") return standing === "ahead" ? version : undefined;
    const saved = await writeBack({ ...cachedThread, version }, store, ttlMs);
    if (saved !== undefined) return saved;
  }
  return undefined;
}

async function written(
  { identity, save, version }: CachedThread,
  store: SessionStore,
  ttlMs: number,
): Promise<number | undefined> {
  const json = ledgerText(save);
  if (await store.write(identity.thread, json, version, ttlMs)) return version + 1;
  // The store may have forgotten the thread meanwhile; whatever else it has of it is newer.
  return version > 0 && (await store.write(identity.thread, json, 0, ttlMs)) ? 1 : undefined;
}

/** Concurrency of a flush, in threads: with more at once a store keeps some waiting beyond its deadline. */
const AT_ONCE = 64;

/** Flushes all cached threads that have unsaved turns, as far as the store takes them. */
export async function flush(cache: ThreadCache, store: SessionStore, ttlMs: number): Promise<void> {
  const unsaved = cache.takeUnsaved();
  for (let from = 0; from < unsaved.length; from += AT_ONCE)
    await Promise.allSettled(unsaved.slice(from, from + AT_ONCE).map((one) => writeBack(one, store, ttlMs)));
}
