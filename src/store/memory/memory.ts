import { bytesOfMembers, expiringMap } from "./expiring-map.ts";
import { changedEntry, directoryOver, entryOf, type EntryText, newestFirst } from "../directory.ts";
import { directivesOver } from "../directives.ts";
import {
  type Counters,
  type Directory,
  isTaken,
  type Journal,
  type JournalItem,
  type Plain,
  refuseOversized,
  refuseUncountable,
  type SessionKey,
  type SessionStore,
  type Stored,
  type Stores,
  type Totals,
} from "../store.ts";
import { sharedSpace } from "../../even-share.ts";

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
  const directory = memoryDirectory(within(0.1));
  const stores: Stores = {
    sessions,
    counters,
    journal,
    directory,
    directives: directivesOver(memoryStore(within(0.05)), options.now),
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

/** Keeps sums in this process: the least recently used make room for new ones. */
export function memoryCounters({
  maxEntries = 10_000,
  maxBytes = 4 * 1024 * 1024,
  now = Date.now,
}: MemoryStoreOptions = {}): Counters & Weighed {
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

/** Keeps the directory in this process: the least recently noted make room for new ones. */
function memoryDirectory({
  maxEntries = 10_000,
  maxBytes = STANDARD_BYTES,
  now = Date.now,
}: MemoryStoreOptions): Directory & Weighed {
  const bytesOf = ({ entry: { fields, sums } }: { readonly entry: EntryText }) =>
    bytesOfMembers(new Map<string, string | number>([...fields, ...sums]));
  const entries = expiringMap<{ readonly key: SessionKey; readonly entry: EntryText }>(
    { maxEntries, maxBytes, bytesOf },
    now,
  );
  const directory = directoryOver({
    async note(key, change, ttlMs) {
      entries.set(key, { key, entry: changedEntry(entries.peek(key)?.entry, change) }, ttlMs);
    },
    async find(key) {
      const row = entries.peek(key);
      return row && entryOf(key, row.entry);
    },
    async newest(limit, behind) {
      return entries
        .values()
        .map(({ key, entry }) => ({ key, at: entry.at, entry }))
        .filter((place) => behind === undefined || newestFirst(behind, place) < 0)
        .sort(newestFirst)
        .slice(0, limit)
        .map(({ key, entry }) => entryOf(key, entry));
    },
    async remove(key) {
      entries.delete(key);
    },
  });
  return { ...directory, bytes: entries.bytes };
}

/** Knows what it takes up in this process, about. */
interface Weighed {
  bytes(): number;
}

/** Adds amounts to sums by name, in place. A Map, since a sum may be called `__proto__` or `constructor` like any other. */
function addTo(sums: Map<string, number>, amounts: Totals): void {
  for (const name of Object.keys(amounts)) sums.set(name, (sums.get(name) ?? 0) + (amounts[name] ?? 0));
}
