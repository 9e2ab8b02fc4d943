import { bytesOfMembers, expiringMap } from "./expiring-map.ts";
import { refuseOversized, refuseOversizedFields, refuseUncountable } from "../refusals.ts";
import {
  type Counters,
  type Directives,
  type Directory,
  type DirectoryEntry,
  isTaken,
  type Journal,
  type JournalItem,
  type Plain,
  type SessionKey,
  type SessionStore,
  type Stored,
  type Stores,
  type Totals,
} from "../store.ts";
import { sharedSpace } from "../../even-share.ts";
import { matches, newestFirst, partsOfPosition, positionOf } from "../directory-pages.ts";

interface MemoryJournalOptions {
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

/** Keeps directives in this process; nothing survives a restart. */
function memoryDirectives({ now = Date.now }: { readonly now?: () => number } = {}): Directives {
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

export interface MemoryStoreOptions {
  readonly maxEntries?: number;
  /** Approximate limit for all entries together. */
  readonly maxBytes?: number;
  readonly now?: () => number;
}

const STANDARD_BYTES = 96 * 1024 * 1024;

/** Everything in this process. */
export function memoryStores(options: MemoryStoreOptions & { readonly journalCapacity?: number } = {}): Stores {
  const { journalCapacity: capacity = 1_000, maxBytes: all = STANDARD_BYTES } = options;
  const within = (share: number) => ({ ...options, maxBytes: Math.floor(all * share) });
  const sessions = memoryStore(within(0.75));
  const counters = memoryCounters(within(0.05));
  const journal = memoryJournal({ capacity, ...within(0.05) });
  const directory = memoryDirectory(within(0.15));
  const stores: Stores = {
    sessions,
    counters,
    journal,
    directory,
    directives: memoryDirectives(options),
    isShared: false,
    heldBytes: () => [sessions, counters, journal, directory].reduce((sum, maps) => sum + maps.bytes(), 0),
  };
  ownMemoryStores.add(stores);
  return stores;
}

const ownMemoryStores = new WeakSet<Stores>();

/** Whether all of it is this process's own memory, which is neither late nor away. */
export const areInMemory = (stores: Stores): boolean => ownMemoryStores.has(stores);

interface MemoryRecord extends Stored {
  readonly plain: Plain | undefined;
}

/** Keeps sessions in this process: the least recently used make room for new ones, and nothing survives a restart. */
export function memoryStore({
  maxEntries = 10_000,
  maxBytes = STANDARD_BYTES,
  now = Date.now,
}: MemoryStoreOptions = {}): SessionStore & Weighed {
  const bytesOf = ({ json }: MemoryRecord) => json.length;
  const entries = expiringMap<MemoryRecord>({ maxEntries, maxBytes, bytesOf }, now);
  return {
    async read(key) {
      const record = entries.get(key);
      return record && { json: record.json, version: record.version };
    },
    async write(key, json, expectedVersion, ttlMs, plain) {
      refuseOversized(json);
      const record = entries.get(key);
      if (!isTaken(record, expectedVersion, plain)) return false;
      entries.set(key, { json, version: (record?.version ?? 0) + 1, plain }, ttlMs);
      return true;
    },
    async remove(key) {
      entries.delete(key);
    },
    async close() {
      entries.clear();
    },
    bytes: entries.bytes,
  };
}

interface MemoryCountersOptions {
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

interface MemoryDirectoryOptions {
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
function memoryDirectory({
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

/** Knows what it takes up in this process, about. */
interface Weighed {
  bytes(): number;
}

/** Adds amounts to sums by name, in place. A Map, since a sum may be called `__proto__` or `constructor` like any other. */
function addTo(sums: Map<string, number>, amounts: Totals): void {
  for (const name of Object.keys(amounts)) sums.set(name, (sums.get(name) ?? 0) + (amounts[name] ?? 0));
}
