import { type Journal, refuseOversized } from "../store.ts";

/** Keeps the newest `capacity` entries in this process. */
export function memoryJournal({ capacity = 1_000 }: { readonly capacity?: number } = {}): Journal {
  const ring: string[] = [];
  let written = 0;
  return {
    async append(entry) {
      refuseOversized(entry);
      ring[written % capacity] = entry;
      written += 1;
    },
    async recent(limit) {
      const count = Math.max(0, Math.min(limit, ring.length));
      return Array.from({ length: count }, (_, back) => ring[(written - 1 - back) % capacity] ?? "");
    },
  };
}
