export interface ExpiringMap<V> {
  /** Also counts as use. */
  get(key: string): V | undefined;
  /** Does not count as use. */
  peek(key: string): V | undefined;
  /** All, the least recently used first. */
  values(): V[];
  set(key: string, value: V, ttlMs: number): void;
  delete(key: string): void;
  clear(): void;
}

/** A bounded map whose entries expire; the least recently used make room for new ones. */
export function expiringMap<V>(maxEntries: number, now: () => number): ExpiringMap<V> {
  // A Map remembers the order of insertion, so its first keys are the least recently used.
  const entries = new Map<string, { readonly value: V; readonly expiresAt: number }>();

  // One entry comes with a set and up to two overdue ones go, so that the expired melt away without a timer.
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
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.expiresAt <= now()) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    peek(key) {
      const entry = entries.get(key);
      return entry === undefined || entry.expiresAt <= now() ? undefined : entry.value;
    },
    values() {
      return [...entries.values()].filter(({ expiresAt }) => expiresAt > now()).map(({ value }) => value);
    },
    set(key, value, ttlMs) {
      entries.delete(key);
      entries.set(key, { value, expiresAt: now() + ttlMs });
      tidy();
    },
    delete(key) {
      entries.delete(key);
    },
    clear() {
      entries.clear();
    },
  };
}
