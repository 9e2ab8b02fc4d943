import { refuseOversizedFields, refuseUncountable } from "./refusals.ts";
import type { SessionKey, Totals } from "./store.ts";

/** Change to an entry of the directory. */
export interface DirectoryChange {
  /** When it was in use; Unix time, milliseconds. */
  readonly at: number;
  /** Fields to overwrite; one with the empty text is taken away. */
  readonly set: Readonly<Record<string, string>>;
  /** Only where the entry has no such field yet. */
  readonly first: Readonly<Record<string, string>>;
  readonly add: Totals;
}

/** A session as the directory lists it. */
export interface DirectoryEntry {
  readonly key: SessionKey;
  /** When it was in use last; Unix time, milliseconds. */
  readonly at: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly sums: Totals;
}

/** A page of the directory. */
export interface DirectoryPage {
  readonly entries: readonly DirectoryEntry[];
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

/**
 * A directory of the sessions there are, by the time they were last in use: fields and sums under a key, with an expiry.
 * Knows nothing of what they mean. It may be a moment behind. Rejects when the storage fails.
 */
export interface Directory {
  /** Merges a change into an entry, and counts its expiry anew. */
  note(key: SessionKey, change: DirectoryChange, ttlMs: number): Promise<void>;
  find(key: SessionKey): Promise<DirectoryEntry | undefined>;
  /**
   * The newest first. A filter is looked for in 2,000 entries, so a page may have fewer than were asked for and still a next one.
   * @param before `next` of the page before
   */
  page(limit: number, before?: string, filter?: DirectoryFilter): Promise<DirectoryPage>;
  remove(key: SessionKey): Promise<void>;
}

/** What an entry must be like to be listed: conditions on its fields and sums that all hold. */
export interface DirectoryFilter {
  /** Fields with exactly these texts; the empty text also where there is no such field. */
  readonly equal?: Readonly<Record<string, string>>;
  /** Fields that begin so, in upper or lower case. */
  readonly beginning?: Readonly<Record<string, string>>;
  /** Fields that contain these texts. */
  readonly containing?: Readonly<Record<string, string>>;
  /** Whether a field has any text. */
  readonly filled?: Readonly<Record<string, boolean>>;
  /** Sums that have been added to. */
  readonly counted?: readonly string[];
}

/** Fields and sums of an entry, as it is kept. Pairs and not objects: a name may be `__proto__` like any other. */
export interface EntryText {
  readonly at: number;
  readonly fields: readonly (readonly [name: string, text: string])[];
  readonly sums: readonly (readonly [name: string, sum: number])[];
}

/** A change as it travels; a type and not an interface, which the platform's own types want. */
export type ChangeText = {
  readonly at: number;
  readonly set: readonly (readonly [name: string, text: string])[];
  readonly first: readonly (readonly [name: string, text: string])[];
  readonly add: readonly (readonly [name: string, amount: number])[];
};

function changeText({ at, set, first, add }: DirectoryChange): ChangeText {
  return { at, set: Object.entries(set), first: Object.entries(first), add: Object.entries(add) };
}

/** An entry with a change merged into it. */
export function changedEntry(entry: EntryText | undefined, { at, set, first, add }: ChangeText): EntryText {
  const fields = new Map([...first, ...(entry?.fields ?? []), ...set]);
  for (const [name, text] of set) if (text === "") fields.delete(name);
  const sums = new Map(entry?.sums);
  for (const [name, amount] of add) sums.set(name, (sums.get(name) ?? 0) + amount);
  return { at: Math.max(at, entry?.at ?? 0), fields: [...fields], sums: [...sums] };
}

export function entryOf(key: string, { at, fields, sums }: EntryText): DirectoryEntry {
  return { key: key as SessionKey, at, fields: Object.fromEntries(fields), sums: Object.fromEntries(sums) };
}

/** A directory as storages have it: each lists its entries in the order of their time, and all else is written once. */
interface DirectoryDriver {
  note(key: SessionKey, change: ChangeText, ttlMs: number): Promise<void>;
  find(key: SessionKey): Promise<DirectoryEntry | undefined>;
  /** The newest first, of those behind this one; its time is theirs in the order. */
  newest(limit: number, behind: Place | undefined): Promise<readonly DirectoryEntry[]>;
  remove(key: SessionKey): Promise<void>;
}

const MAX_LOOKED_THROUGH = 2_000;
const BATCH = 500;

export function directoryOver({ note, find, newest, remove }: DirectoryDriver): Directory {
  return {
    async note(key, change, ttlMs) {
      refuseUncountable(change.add);
      refuseOversizedFields(change.set);
      await note(key, changeText(change), ttlMs);
    },
    find,
    remove,
    async page(limit, before, filter) {
      const found: DirectoryEntry[] = [];
      let behind = before === undefined ? undefined : partsOfPosition(before);
      const batch = filter === undefined ? limit + 1 : BATCH;
      for (let looked = 0; looked < MAX_LOOKED_THROUGH; looked += batch) {
        const entries = await newest(batch, behind);
        for (const entry of entries) {
          if (filter !== undefined && !matches(entry, filter)) continue;
          if (found.length === limit) return { entries: found, next: positionOf(found.at(-1) ?? entry) };
          found.push(entry);
        }
        if (entries.length < batch) return { entries: found, next: undefined };
        behind = entries.at(-1);
      }
      return { entries: found, next: behind && positionOf(behind) };
    },
  };
}

/** Whether an entry is like the filter asks. */
function matches(
  { fields, sums }: Pick<DirectoryEntry, "fields" | "sums">,
  { equal, beginning, containing, filled, counted = [] }: DirectoryFilter,
): boolean {
  const textOf = (name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined) ?? "";
  return (
    all(equal, (name, text) => textOf(name) === text) &&
    all(beginning, (name, text) => textOf(name).toLowerCase().startsWith(text.toLowerCase())) &&
    all(containing, (name, text) => textOf(name).includes(text)) &&
    all(filled, (name, isFilled) => (textOf(name) !== "") === isFilled) &&
    counted.every((name) => Object.hasOwn(sums, name))
  );
}

function all<V>(conditions: Readonly<Record<string, V>> | undefined, holds: (name: string, question: V) => boolean) {
  return conditions === undefined || Object.entries(conditions).every(([name, question]) => holds(name, question));
}

/** Where an entry stands in the directory's order. */
type Place = Pick<DirectoryEntry, "at" | "key">;

/** A place as text. */
export function positionOf({ at, key }: Pick<Place, "at"> & { readonly key: string }): string {
  return `${at}:${key}`;
}

function partsOfPosition(position: string): Place {
  const colon = position.indexOf(":");
  return { at: Number(position.slice(0, colon)), key: position.slice(colon + 1) as SessionKey };
}

/** The order of a directory's pages, for `sort`. */
export function newestFirst(a: Place, b: Place): number {
  if (a.at !== b.at) return b.at - a.at;
  if (a.key === b.key) return 0;
  return a.key < b.key ? 1 : -1;
}
