import { UnloopError } from "../errors.ts";
import { amount, check, type InputShape, object, readRecord } from "../shapes/shapes.ts";
import { isObject } from "../text/is-object.ts";
import { parseJson } from "../text/parse-json.ts";
import {
  type Directives,
  type Directory,
  type DirectoryChange,
  type DirectoryEntry,
  refuseOversized,
  refuseUncountable,
  type SessionKey,
  type SessionStore,
  type ThreadKey,
  type Totals,
} from "./store.ts";

// What all storages have alike: sums, the directory above lists by time, and the orders above one record.

/** Refusal by a store that answers, such as a full one of every write: what else it is asked for may go well. */
export class StoreRefusal extends UnloopError {
  constructor(message: string) {
    super("store_unavailable", message);
  }
}

/** Sums with amounts added to them. By way of a Map, since a sum may be called `__proto__` or `constructor` like any other. */
export function added(sums: Totals, amounts: Totals): Totals {
  const totals = new Map(Object.entries(sums));
  for (const name of Object.keys(amounts)) totals.set(name, (totals.get(name) ?? 0) + (amounts[name] ?? 0));
  return Object.fromEntries(totals);
}

export type EntryRecord = Omit<DirectoryEntry, "key">;

/** By name, which may be `__proto__` like any other. */
const membersOf = <Value>(type: "string" | "number"): InputShape<Readonly<Record<string, Value>>> =>
  check({ type: "object" }, (value) =>
    isObject(value) && Object.values(value).every((one) => typeof one === type) ? undefined : `has another ${type}.`,
  );
const totals = membersOf<number>("number");
const texts = membersOf<string>("string");
const entryShape = object({ at: amount, fields: texts, sums: totals });
const changeShape = object({ at: amount, set: texts, first: texts, add: totals });

/** What is stored of an entry; undefined where it is damaged, which is as if it had expired. */
export const readEntry = (json: string | undefined): EntryRecord | undefined => readRecord(entryShape, json);

export function entryOf(key: SessionKey, json: string | undefined): DirectoryEntry | undefined {
  const entry = readEntry(json);
  return entry && { key, ...entry };
}

export const readChange = (json: string): DirectoryChange | undefined => readRecord(changeShape, json);

export const readTotals = (json: string): Totals => readRecord(totals, json) ?? {};

export function changedEntry(entry: EntryRecord | undefined, change: DirectoryChange): EntryRecord {
  const { at = 0, sums = {} } = entry ?? {};
  const all: Record<string, string> = Object.assign({}, change.first, entry?.fields, change.set);
  const fields: Record<string, string> = {};
  for (const name in all) if (all[name]) fields[name] = all[name];
  return { at: Math.max(change.at, at), fields, sums: added(sums, change.add) };
}

type Place = Pick<DirectoryEntry, "at" | "key">;

/** A directory as storages have it: each lists its entries in the order of their time, and all else is written once. */
interface DirectoryDriver extends Pick<Directory, "note" | "find"> {
  /** The newest first, of those behind this one; its time is theirs in the order. */
  newest(limit: number, behind: Place | undefined): Promise<readonly DirectoryEntry[]>;
}

export function directoryOver({ note, find, newest }: DirectoryDriver): Directory {
  return {
    async note(key, change, ttlMs) {
      refuseUncountable(change.add);
      refuseOversized(Object.entries(change.set).flat().join(""));
      await note(key, change, ttlMs);
    },
    find,
    page: (limit, before) => newest(limit, before === undefined ? undefined : placeAt(before)),
  };
}

function placeAt(position: string): Place {
  const colon = position.indexOf(":");
  return { at: Number(position.slice(0, colon)), key: position.slice(colon + 1) as SessionKey };
}

export function newestFirst(a: Place, b: Place): number {
  return b.at - a.at || Number(a.key < b.key) - Number(a.key > b.key);
}

const ORDERS = "directives.all" as ThreadKey;

/** Text and end, by key. Pairs and not an object: a key may be `__proto__` like any other. */
type Orders = readonly (readonly [key: string, order: { readonly text: string; readonly ends: number }])[];

/** Each is read by itself: a damaged one takes no other with it. */
function isOrder(value: unknown): value is Orders[number] {
  const [key, order] = Array.isArray(value) ? value : [];
  return typeof key === "string" && isObject(order) && typeof order.text === "string" && typeof order.ends === "number";
}

/** All directives in one record, whose version is their revision. It never expires: an order must outlive the sessions. */
export function directivesOver(records: SessionStore, now = () => Date.now()): Directives {
  const standing = (json = "[]") => {
    const orders = parseJson(json);
    return new Map((Array.isArray(orders) ? orders : []).filter(isOrder).filter(([, { ends }]) => ends > now()));
  };

  async function change(edit: (orders: Map<string, Orders[number][1]>) => void): Promise<void> {
    for (;;) {
      const stored = await records.read(ORDERS);
      const orders = standing(stored?.json);
      edit(orders);
      const text = JSON.stringify([...orders]);
      if (await records.write(ORDERS, text, stored?.version ?? 0, Number.POSITIVE_INFINITY)) return;
    }
  }

  return {
    put: (key, text, ttlMs) => change((orders) => orders.set(key, { text, ends: now() + ttlMs })),
    remove: (key) => change((orders) => orders.delete(key)),
    async read(lastRevision) {
      const stored = await records.read(ORDERS);
      const revision = String(stored?.version ?? 0);
      if (revision === lastRevision) return undefined;
      return { revision, texts: new Map([...standing(stored?.json)].map(([key, { text }]) => [key, text])) };
    },
  };
}
