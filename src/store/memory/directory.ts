import {
  type Directory,
  type DirectoryEntry,
  matches,
  newestFirst,
  partsOfPosition,
  positionOf,
  refuseOversized,
  refuseUncountable,
} from "../store.ts";
import { expiringMap } from "./expiring-map.ts";

export interface MemoryDirectoryOptions {
  readonly maxEntries?: number;
  readonly now?: () => number;
}

/** Keeps the directory in this process: the least recently noted make room for new ones. */
export function memoryDirectory({ maxEntries = 10_000, now = Date.now }: MemoryDirectoryOptions = {}): Directory {
  const entries = expiringMap<DirectoryEntry>(maxEntries, now);
  return {
    async note(key, { at, set, first, add }, ttlMs) {
      refuseUncountable(add);
      refuseOversized(JSON.stringify(set));
      const known = entries.get(key);
      const sums = new Map(Object.entries(known?.sums ?? {}));
      for (const [name, amount] of Object.entries(add)) sums.set(name, (sums.get(name) ?? 0) + amount);
      const fields = { ...first, ...known?.fields, ...set };
      entries.set(key, { key, at: Math.max(at, known?.at ?? 0), fields, sums: Object.fromEntries(sums) }, ttlMs);
    },
    find: async (key) => entries.peek(key),
    async page(limit, before, filter) {
      const behind = before === undefined ? undefined : partsOfPosition(before);
      const candidates = entries
        .values()
        .filter(
          (entry) =>
            (behind === undefined || newestFirst(behind, entry) < 0) &&
            (filter === undefined || matches(entry, filter)),
        );
      const page = candidates.sort(newestFirst).slice(0, limit);
      const last = page.at(-1);
      return {
        entries: page,
        next: last === undefined || page.length === candidates.length ? undefined : positionOf(last),
      };
    },
    async remove(key) {
      entries.delete(key);
    },
  };
}
