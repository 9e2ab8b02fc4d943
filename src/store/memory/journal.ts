import { sharedSpace } from "../../even-share.ts";
import { refuseOversized } from "../refusals.ts";
import type { Journal, JournalItem } from "../store.ts";
import type { Weighed } from "./weighed.ts";

export interface MemoryJournalOptions {
  readonly capacity?: number;
  readonly maxBytes?: number;
}

/** Approximate overhead of an entry beside its text. */
const ENTRY_BYTES = 320;

/** Keeps the newest `capacity` entries in this process; in a full one each owner has an even share. */
export function memoryJournal({
  capacity = 1_000,
  maxBytes = 8 * 1024 * 1024,
}: MemoryJournalOptions = {}): Journal & Weighed {
  /** By their numbers, which begin with 1; the oldest first. */
  const entries = new Map<number, string>();
  const space = sharedSpace({ weight: maxBytes, keys: capacity });
  let written = 0;

  function makeRoom(): void {
    for (let key = space.crowded(); key !== undefined; key = space.crowded()) {
      entries.delete(Number(key));
      space.remove(key);
    }
  }

  /** The newest first, of those with a smaller number. */
  function newest(limit: number, before: number): readonly JournalItem[] {
    const items: JournalItem[] = [];
    for (const [number, entry] of [...entries].reverse()) {
      if (items.length >= limit) break;
      if (number < before) items.push({ id: String(number), entry });
    }
    return items;
  }

  return {
    async append(entry, owner = "") {
      refuseOversized(entry);
      written += 1;
      entries.set(written, entry);
      space.put(String(written), owner, ENTRY_BYTES + entry.length);
      makeRoom();
    },
    async recent(limit) {
      return newest(limit, Number.POSITIVE_INFINITY).map(({ entry }) => entry);
    },
    async page(limit, before) {
      return newest(limit, before === undefined ? Number.POSITIVE_INFINITY : Number(before));
    },
    async after(id, limit) {
      const items: JournalItem[] = [];
      for (const [number, entry] of entries) {
        if (items.length >= limit) break;
        if (number > Number(id ?? 0)) items.push({ id: String(number), entry });
      }
      return items;
    },
    bytes: space.taken,
  };
}
