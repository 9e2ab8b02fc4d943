import { refuseOversized } from "../refusals.ts";
import type { Directives } from "../store.ts";
import { expiringMap } from "./expiring-map.ts";

/** Keeps directives in this process; nothing survives a restart. */
export function memoryDirectives({ now = Date.now }: { readonly now?: () => number } = {}): Directives {
  const entries = expiringMap<readonly [key: string, text: string]>(BOUNDS, now);
  let revision = 0;
  return {
    async put(key, text, ttlMs) {
      refuseOversized(text);
      entries.set(key, [key, text], ttlMs);
      revision += 1;
    },
    async remove(key) {
      entries.delete(key);
      revision += 1;
    },
    async read(lastRevision) {
      return lastRevision === String(revision)
        ? undefined
        : { revision: String(revision), texts: new Map(entries.values()) };
    },
  };
}

const BOUNDS = {
  maxEntries: 10_000,
  maxBytes: 8 * 1024 * 1024,
  bytesOf: ([key, text]: readonly [key: string, text: string]) => key.length + text.length,
};
