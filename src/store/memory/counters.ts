import { addTo } from "./add-to.ts";
import { bytesOfMembers, expiringMap } from "./expiring-map.ts";
import { refuseUncountable } from "../refusals.ts";
import type { Counters } from "../store.ts";
import type { Weighed } from "./weighed.ts";

export interface MemoryCountersOptions {
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  readonly now?: () => number;
}

/** Keeps sums in this process: the least recently used make room for new ones. */
export function memoryCounters({
  maxEntries = 10_000,
  maxBytes = 4 * 1024 * 1024,
  now = Date.now,
}: MemoryCountersOptions = {}): Counters & Weighed {
  const entries = expiringMap<Map<string, number>>({ maxEntries, maxBytes, bytesOf: bytesOfMembers }, now);
  return {
    async add(key, amounts, ttlMs) {
      refuseUncountable(amounts);
      const totals = entries.peek(key) ?? new Map<string, number>();
      addTo(totals, amounts);
      entries.set(key, totals, ttlMs);
      return Object.fromEntries(totals);
    },
    async read(key) {
      return Object.fromEntries(entries.get(key) ?? []);
    },
    bytes: entries.bytes,
  };
}
