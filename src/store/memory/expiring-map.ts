import { sharedSpace } from "../../even-share.ts";
import { ownerOf } from "../store.ts";

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
  /** Weight of all values. */
  bytes(): number;
}

/** Bounds of a map. */
export interface MapBounds<V> {
  readonly maxEntries: number;
  /** Bytes of all entries together. */
  readonly maxBytes: number;
  /** Approximate size of a value, without its key. */
  readonly bytesOf: (value: V) => number;
}

/** What an entry takes up beside its value, about: its key in three maps, and the objects around it. */
const ENTRY_BYTES = 320;

/**
 * A bounded map whose entries expire. The least recently used make room for new ones: those of the tenant, by the keys, that
 * takes up most beyond an even share.
 */
export function expiringMap<V>({ maxEntries, maxBytes, bytesOf }: MapBounds<V>, now: () => number): ExpiringMap<V> {
  // A Map remembers the order of insertion, so its first keys are the least recently used.
  const entries = new Map<string, { readonly value: V; readonly expiresAt: number }>();
  const space = sharedSpace({ weight: maxBytes, keys: maxEntries });

  function remove(key: string): void {
    entries.delete(key);
    space.remove(key);
  }

  // One entry comes with a set and up to two overdue ones go, so that the expired melt away without a timer.
  const tidy = () => {
    let looked = 0;
    for (const [key, entry] of entries) {
      if (looked === 2 || entry.expiresAt > now()) break;
      remove(key);
      looked += 1;
    }
    for (let key = space.crowded(); key !== undefined; key = space.crowded()) remove(key);
  };

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (entry.expiresAt <= now()) {
        remove(key);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      space.touch(key);
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
      space.put(key, ownerOf(key), ENTRY_BYTES + bytesOf(value));
      tidy();
    },
    delete: remove,
    clear() {
      for (const key of [...entries.keys()]) remove(key);
    },
    bytes: space.taken,
  };
}
