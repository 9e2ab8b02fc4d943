import { expiringMap } from "./expiring-map.ts";
import { memoryCounters } from "./counters.ts";
import { memoryDirectives } from "./directives.ts";
import { memoryDirectory } from "./directory.ts";
import { memoryJournal } from "./journal.ts";
import { refuseOversized, type SessionStore, type Stored, type Stores } from "../store.ts";

export interface MemoryStoreOptions {
  readonly maxEntries?: number;
  readonly now?: () => number;
}

/** Everything in this process. */
export function memoryStores(options: MemoryStoreOptions & { readonly journalCapacity?: number } = {}): Stores {
  const { journalCapacity: capacity = 1_000 } = options;
  const stores: Stores = {
    sessions: memoryStore(options),
    counters: memoryCounters(options),
    journal: memoryJournal({ capacity }),
    directory: memoryDirectory(options),
    directives: memoryDirectives(options),
    isShared: false,
  };
  made.add(stores);
  return stores;
}

const made = new WeakSet<Stores>();

/** Whether all of it is this process's own memory, which is neither late nor away. */
export const areInMemory = (stores: Stores): boolean => made.has(stores);

/** Keeps sessions in this process: the least recently used make room for new ones, and nothing survives a restart. */
export function memoryStore({ maxEntries = 10_000, now = Date.now }: MemoryStoreOptions = {}): SessionStore {
  const entries = expiringMap<Stored>(maxEntries, now);
  return {
    async read(key) {
      return entries.get(key);
    },
    async write(key, json, expectedVersion, ttlMs) {
      refuseOversized(json);
      const version = entries.get(key)?.version ?? 0;
      if (version !== expectedVersion) return false;
      entries.set(key, { json, version: version + 1 }, ttlMs);
      return true;
    },
    async remove(key) {
      entries.delete(key);
    },
    async close() {
      entries.clear();
    },
  };
}
