import type { SessionStore, ThreadKey } from "./store.ts";

interface Entry {
  readonly json: string;
  readonly version: number;
  readonly expiresAt: number;
}

export interface MemoryStoreOptions {
  readonly maxEntries?: number;
  readonly now?: () => number;
}

/** Keeps sessions in this process: the least recently used make room for new ones, and nothing survives a restart. */
export function memoryStore({ maxEntries = 10_000, now = Date.now }: MemoryStoreOptions = {}): SessionStore {
  // A Map remembers the order of insertion, so its first keys are the least recently used.
  const entries = new Map<ThreadKey, Entry>();

  const current = (key: ThreadKey): Entry | undefined => {
    const entry = entries.get(key);
    if (entry === undefined || entry.expiresAt > now()) return entry;
    entries.delete(key);
    return undefined;
  };
  const use = (key: ThreadKey, entry: Entry) => {
    entries.delete(key);
    entries.set(key, entry);
  };
  // One entry comes with a write and up to two overdue ones go, so that the expired melt away without a timer.
  const tidy = () => {
    let looked = 0;
    for (const [key, entry] of entries) {
      const tooMany = entries.size > maxEntries;
      if (!tooMany && (looked === 2 || entry.expiresAt > now())) return;
      entries.delete(key);
      looked += 1;
    }
  };

  return {
    async read(key) {
      const entry = current(key);
      if (entry === undefined) return undefined;
      use(key, entry);
      return { json: entry.json, version: entry.version };
    },
    async write(key, json, expectedVersion, ttlMs) {
      const version = current(key)?.version ?? 0;
      if (version !== expectedVersion) return false;
      use(key, { json, version: version + 1, expiresAt: now() + ttlMs });
      tidy();
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
