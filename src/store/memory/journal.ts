import { type Journal, type JournalItem, refuseOversized } from "../store.ts";

/** Keeps the newest `capacity` entries in this process. */
export function memoryJournal({ capacity = 1_000 }: { readonly capacity?: number } = {}): Journal {
  const ring: string[] = [];
  let written = 0;
  /** The first is number 1. */
  const item = (number: number): JournalItem => ({ id: String(number), entry: ring[(number - 1) % capacity] ?? "" });
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
    async page(limit, before) {
      const newest = before === undefined ? written : Math.min(written, Number(before) - 1);
      const oldest = Math.max(written - ring.length, newest - Math.max(0, limit));
      return Array.from({ length: Math.max(0, newest - oldest) }, (_, back) => item(newest - back));
    },
    async after(id, limit) {
      const from = Math.max(written - ring.length, Number(id ?? 0));
      return Array.from({ length: Math.max(0, Math.min(limit, written - from)) }, (_, i) => item(from + i + 1));
    },
  };
}
