import { expiringMap } from "./expiring-map.ts";
import { type Counters, refuseUncountable, type Totals } from "../store.ts";

export interface MemoryCountersOptions {
  readonly maxEntries?: number;
  readonly now?: () => number;
}

/** Keeps sums in this process: the least recently used make room for new ones. */
export function memoryCounters({ maxEntries = 10_000, now = Date.now }: MemoryCountersOptions = {}): Counters {
  const entries = expiringMap<Totals>(maxEntries, now);
  return {
    async add(key, amounts, ttlMs) {
      refuseUncountable(amounts);
      // A counter may be called `__proto__` or `constructor` like any other.
      const totals = new Map(Object.entries(entries.get(key) ?? {}));
      for (const [name, amount] of Object.entries(amounts)) totals.set(name, (totals.get(name) ?? 0) + amount);
      const added = Object.fromEntries(totals);
      entries.set(key, added, ttlMs);
      return added;
    },
    async read(key) {
      return entries.get(key) ?? {};
    },
  };
}
