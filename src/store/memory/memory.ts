import { expiringMap } from "./expiring-map.ts";
import { memoryCounters } from "./counters.ts";
import { memoryDirectives } from "./directives.ts";
import { memoryDirectory } from "./directory.ts";
import { memoryJournal } from "./journal.ts";
import type { Weighed } from "./weighed.ts";
import { refuseOversized } from "../refusals.ts";
import { isTaken, type Plain, type SessionStore, type Stored, type Stores } from "../store.ts";

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

interface MemoryRecord extends Stored {
  readonly plain: Plain | undefined;
}

/** Keeps sessions in this process: the least recently used make room for new ones, and nothing survives a restart. */
export function memoryStore({
  maxEntries = 10_000,
  maxBytes = STANDARD_BYTES,
  now = Date.now,
}: MemoryStoreOptions = {}): SessionStore & Weighed {
  const bytesOf = ({ json }: MemoryRecord) => json.length;
  const entries = expiringMap<MemoryRecord>({ maxEntries, maxBytes, bytesOf }, now);
  return {
    async read(key) {
      const record = entries.get(key);
      return record && { json: record.json, version: record.version };
    },
    async write(key, json, expectedVersion, ttlMs, plain) {
      refuseOversized(json);
      const record = entries.get(key);
      if (!isTaken(record, expectedVersion, plain)) return false;
      entries.set(key, { json, version: (record?.version ?? 0) + 1, plain }, ttlMs);
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
