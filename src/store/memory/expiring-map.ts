import { sharedSpace } from "../../even-share.ts";
import { ownerOf } from "../store.ts";

export interface MemoryStoreOptions {
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  readonly now?: () => number;
}

export const STANDARD_BYTES = 96 * 1024 * 1024;

/** What an entry takes up beside its value, about: its key in three maps, and the objects around it. */
const ENTRY_BYTES = 320;

/**
 * A bounded map whose entries expire. The least recently used make room for new ones: those of the tenant, by the keys, that
 * takes up most beyond an even share.
 * @param bytesOf approximate size of a value, without its key
 */
export function expiringMap<V>(
  { maxEntries = 10_000, maxBytes = STANDARD_BYTES, now = Date.now }: MemoryStoreOptions,
  bytesOf: (value: V) => number,
) {
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
    get(key: string): V | undefined {
      const entry = entries.get(key);
      if (entry === undefined || entry.expiresAt <= now()) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      space.touch(key);
      return entry.value;
    },
    peek(key: string): V | undefined {
      const entry = entries.get(key);
      return entry === undefined || entry.expiresAt <= now() ? undefined : entry.value;
    },
    values(): V[] {
      return [...entries.values()].filter(({ expiresAt }) => expiresAt > now()).map(({ value }) => value);
    },
    set(key: string, value: V, ttlMs: number): void {
      entries.delete(key);
      entries.set(key, { value, expiresAt: now() + ttlMs });
      space.put(key, ownerOf(key), ENTRY_BYTES + bytesOf(value));
      tidy();
    },
    delete: remove,
    clear(): void {
      for (const key of [...entries.keys()]) remove(key);
    },
    bytes: space.taken,
  };
}
