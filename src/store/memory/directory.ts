import { matches, newestFirst, partsOfPosition, positionOf } from "../directory-pages.ts";
import { refuseOversizedFields, refuseUncountable } from "../refusals.ts";
import type { Directory, DirectoryEntry, SessionKey } from "../store.ts";
import { bytesOfMembers, expiringMap } from "./expiring-map.ts";
import { addTo } from "./add-to.ts";
import type { Weighed } from "./weighed.ts";

export interface MemoryDirectoryOptions {
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  readonly now?: () => number;
}

/** An entry that is changed in place: every exchange changes one, and few are ever read. */
interface DirectoryRow {
  readonly key: SessionKey;
  at: number;
  readonly fields: Map<string, string>;
  readonly sums: Map<string, number>;
}

/** Keeps the directory in this process: the least recently noted make room for new ones. */
export function memoryDirectory({
  maxEntries = 10_000,
  maxBytes = 12 * 1024 * 1024,
  now = Date.now,
}: MemoryDirectoryOptions = {}): Directory & Weighed {
  const bytesOf = ({ fields, sums }: DirectoryRow) => bytesOfMembers(fields) + bytesOfMembers(sums);
  const entries = expiringMap<DirectoryRow>({ maxEntries, maxBytes, bytesOf }, now);
  return {
    async note(key, { at, set, first, add }, ttlMs) {
      refuseUncountable(add);
      refuseOversizedFields(set);
      const entry = entries.peek(key) ?? { key, at: 0, fields: new Map(Object.entries(first)), sums: new Map() };
      entry.at = Math.max(at, entry.at);
      for (const name of Object.keys(set)) {
        const text = set[name] ?? "";
        if (text === "") entry.fields.delete(name);
        else entry.fields.set(name, text);
      }
      addTo(entry.sums, add);
      entries.set(key, entry, ttlMs);
    },
    async find(key) {
      const entry = entries.peek(key);
      return entry && entryOf(entry);
    },
    async page(limit, before, filter) {
      const behind = before === undefined ? undefined : partsOfPosition(before);
      const candidates = entries
        .values()
        .filter((entry) => behind === undefined || newestFirst(behind, entry) < 0)
        .filter((entry) => filter === undefined || matches(entryOf(entry), filter));
      const page = candidates.sort(newestFirst).slice(0, limit).map(entryOf);
      const last = page.at(-1);
      return {
        entries: page,
        next: last === undefined || page.length === candidates.length ? undefined : positionOf(last),
      };
    },
    async remove(key) {
      entries.delete(key);
    },
    bytes: entries.bytes,
  };
}

function entryOf({ key, at, fields, sums }: DirectoryRow): DirectoryEntry {
  return { key, at, fields: Object.fromEntries(fields), sums: Object.fromEntries(sums) };
}
