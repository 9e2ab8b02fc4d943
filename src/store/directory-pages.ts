import { type DirectoryEntry, type DirectoryFilter, filterable } from "./directory.ts";
import type { SessionKey } from "./store.ts";

/** Whether an entry is like the filter asks. */
export function matches(
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

/** What of a filter can be told from the filterable fields and sums alone. */
export function filterablePart({
  equal,
  beginning,
  containing,
  filled,
  counted = [],
}: DirectoryFilter): DirectoryFilter {
  return {
    ...{ equal: known(equal), beginning: known(beginning), containing: known(containing), filled: known(filled) },
    counted: counted.filter((name) => filterable.sums.has(name)),
  };
}

function known<V>(conditions: Readonly<Record<string, V>> = {}): Record<string, V> {
  return Object.fromEntries(Object.entries(conditions).filter(([name]) => filterable.fields.has(name)));
}

interface Place {
  readonly at: number;
  readonly key: string;
}

/** Where an entry stands in the directory's order, as text. */
export function positionOf({ at, key }: Place): string {
  return `${at}:${key}`;
}

/** The order of a directory's pages, for `sort`. */
export function newestFirst(a: Place, b: Place): number {
  if (a.at !== b.at) return b.at - a.at;
  if (a.key === b.key) return 0;
  return a.key < b.key ? 1 : -1;
}

/** Parts of a position in the directory. */
export function partsOfPosition(position: string): Pick<DirectoryEntry, "at" | "key"> {
  const colon = position.indexOf(":");
  return { at: Number(position.slice(0, colon)), key: position.slice(colon + 1) as SessionKey };
}
