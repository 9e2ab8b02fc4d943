import { sharedMap } from "../../even-share.ts";
import { added, changedEntry, directoryOver, directivesOver, newestFirst } from "../records.ts";
import {
  type Counters,
  type Directory,
  type DirectoryEntry,
  isTaken,
  type Journal,
  type JournalItem,
  ownerOf,
  type Plain,
  refuseOversized,
  refuseUncountable,
  type SessionStore,
  type Stored,
  type Stores,
  type Totals,
} from "../store.ts";

interface MemoryStoreOptions {
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  readonly now?: () => number;
}

const STANDARD_BYTES = 96 * 1024 * 1024;

/** Everything in this process. */
export function memoryStores(options: MemoryStoreOptions & { readonly journalCapacity?: number } = {}): Stores {
  const { journalCapacity = 1_000, maxBytes = STANDARD_BYTES } = options;
  const within = (share: number) => ({ ...options, maxBytes: Math.floor(maxBytes * share) });
  const sessions = memoryStore(within(0.75));
  const counters = memoryCounters(within(0.05));
  const journal = memoryJournal({ ...within(0.05), maxEntries: journalCapacity });
  const directory = memoryDirectory(within(0.1));
  const stores: Stores = {
    ...{ sessions, counters, journal, directory },
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

/** Knows what it takes up in this process, about. */
type Weighed = { bytes(): number };
type MemoryRecord = Stored & { readonly plain: Plain | undefined };

export function memoryStore(options: MemoryStoreOptions = {}): SessionStore & Weighed {
  const entries = tenantsMap<MemoryRecord>(options, ({ json }) => json.length);
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
    remove: async (key) => entries.delete(key),
    close: async () => undefined,
    bytes: entries.taken,
  };
}

function memoryCounters(options: MemoryStoreOptions): Counters & Weighed {
  const entries = tenantsMap<Totals>(options, bytesOfMembers);
  return {
    async add(key, amounts, ttlMs) {
      refuseUncountable(amounts);
      const totals = added(entries.get(key) ?? {}, amounts);
      entries.set(key, totals, ttlMs);
      return totals;
    },
    async read(key) {
      return entries.get(key) ?? {};
    },
    bytes: entries.taken,
  };
}

function memoryDirectory(options: MemoryStoreOptions): Directory & Weighed {
  const entries = tenantsMap<DirectoryEntry>(
    options,
    ({ fields, sums }) => bytesOfMembers(fields) + bytesOfMembers(sums),
  );
  const directory = directoryOver({
    note: async (key, change, ttlMs) => entries.set(key, { key, ...changedEntry(entries.peek(key), change) }, ttlMs),
    find: async (key) => entries.peek(key),
    async newest(limit, behind) {
      const places = entries.values().filter((entry) => behind === undefined || newestFirst(behind, entry) < 0);
      return places.sort(newestFirst).slice(0, limit);
    },
  });
  return { ...directory, bytes: entries.taken };
}

/** A name and its value beside their characters, in bytes. */
const MEMBER_BYTES = 64;

function bytesOfMembers(members: Readonly<Record<string, string>> | Totals): number {
  let bytes = 0;
  for (const [name, value] of Object.entries<string | number>(members))
    bytes += MEMBER_BYTES + name.length + (typeof value === "string" ? value.length : 0);
  return bytes;
}

/** Keeps the newest entries in this process; in a full one each owner has an even share. */
function memoryJournal(options: MemoryStoreOptions): Journal & Weighed {
  const entries = tenantsMap<JournalItem>(options, ({ entry }) => entry.length);
  let written = 0;
  return {
    async append(entry, owner = "") {
      refuseOversized(entry);
      written += 1;
      entries.set(`${written}~${owner.replaceAll(".", "~")}`, { id: String(written), entry }, Number.POSITIVE_INFINITY);
    },
    async page(limit, before = "Infinity") {
      const older = entries.values().filter(({ id }) => Number(id) < Number(before));
      return older.reverse().slice(0, limit);
    },
    bytes: entries.taken,
  };
}

/** What an entry takes up beside its value, about: its key in two maps, and the objects around it. */
const ENTRY_BYTES = 320;

/** Of tenants, by the keys. @param bytesOf approximate size of a value, without its key */
function tenantsMap<V>(
  { maxEntries = 10_000, maxBytes = STANDARD_BYTES, now = Date.now }: MemoryStoreOptions,
  bytesOf: (value: V) => number,
) {
  const entries = sharedMap<V>({ weight: maxBytes, keys: maxEntries }, now);
  const set = (key: string, value: V, ttlMs: number) =>
    entries.set(key, ownerOf(key), ENTRY_BYTES + bytesOf(value), value, ttlMs);
  return { ...entries, set };
}
