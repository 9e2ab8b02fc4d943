import { expiringMap } from "./expiring-map.ts";
import { memoryCounters } from "./counters.ts";
import { memoryDirectives } from "./directives.ts";
import { memoryDirectory } from "./directory.ts";
import { memoryJournal } from "./journal.ts";
import type { Weighed } from "./weighed.ts";
import { refuseOversized } from "../refusals.ts";
import type { SessionStore, Stored, Stores } from "../store.ts";

export interface MemoryStoreOptions {
  readonly maxEntries?: number;
  /** Approximate limit for all entries together. */
  readonly maxBytes?: number;
  readonly now?: () => number;
}

const STANDARD_BYTES = 96 * 1024 * 1024;

/** Everything in this process. */
export function memoryStores(options: MemoryStoreOptions & { readonly journalCapacity?: number } = {}): Stores {
  const { journalCapacity: capacity = 1_000, maxBytes: all = STANDARD_BYTES } = options;
  const within = (share: number) => ({ ...options, maxBytes: Math.floor(all * share) });
  const sessions = memoryStore(within(0.75));
  const counters = memoryCounters(within(0.05));
  const journal = memoryJournal({ capacity, ...within(0.05) });
  const directory = memoryDirectory(within(0.15));
  const stores: Stores = {
    sessions,
    counters,
    journal,
    directory,
    directives: memoryDirectives(options),
    isShared: false,
    heldBytes: () => [sessions, counters, journal, directory].reduce((sum, maps) => sum + maps.bytes(), 0),
  };
  ownMemoryStores.add(stores);
  return stores;
}

const ownMemoryStores = new WeakSet<Stores>();

/** Whether all of it is this process's own memory, which is neither late nor away. */
export const areInMemory = (stores: Stores): boolean => ownMemoryStores.has(stores);

interface MemoryRecord {
  readonly stored: Stored;
  readonly mark: string | undefined;
}

/** Keeps sessions in this process: the least recently used make room for new ones, and nothing survives a restart. */
export function memoryStore({
  maxEntries = 10_000,
  maxBytes = STANDARD_BYTES,
  now = Date.now,
}: MemoryStoreOptions = {}): SessionStore & Weighed {
  const bytesOf = ({ stored }: MemoryRecord) => stored.json.length;
  const entries = expiringMap<MemoryRecord>({ maxEntries, maxBytes, bytesOf }, now);
  return {
    async read(key) {
      return entries.get(key)?.stored;
    },
    async write(key, json, expectedVersion, ttlMs, succession) {
      refuseOversized(json);
      const record = entries.get(key);
      const version = record?.stored.version ?? 0;
      const givesWay = record?.mark !== undefined && succession?.over.includes(record.mark) === true;
      if (version !== expectedVersion && !givesWay) return false;
      entries.set(key, { stored: { json, version: version + 1 }, mark: succession?.mark }, ttlMs);
      return true;
    },
    async remove(key) {
      entries.delete(key);
    },
    async close() {
      entries.clear();
    },
    bytes: entries.bytes,
  };
}
