import { isObject } from "./is-object.ts";
import { equalJson } from "./json-equal.ts";

/** One operation of a JSON Patch (RFC 6902); of its six, these three are all that a difference takes. */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/**
 * The operations that make one JSON value the other, in order. They name the values that differ and nothing around them:
 * entries that were put into a list are added, and those behind them keep their text.
 */
export function jsonPatch(before: unknown, after: unknown, path = ""): readonly PatchOperation[] {
  if (equalJson(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listPatch(before, after, path);
  if (isObject(before) && isObject(after)) return recordPatch(before, after, path);
  return [{ op: "replace", path, value: after }];
}

type JsonRecord = Readonly<Record<string, unknown>>;

function recordPatch(before: JsonRecord, after: JsonRecord, path: string): readonly PatchOperation[] {
  const at = (name: string) => `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return [
    ...removed.map((name) => ({ op: "remove" as const, path: at(name) })),
    ...Object.entries(after).flatMap(([name, value]): readonly PatchOperation[] =>
      Object.hasOwn(before, name) ? jsonPatch(before[name], value, at(name)) : [{ op: "add", path: at(name), value }],
    ),
  ];
}

/** How far ahead an entry is looked for that stands elsewhere in the other list: edits put in one or two, and take out tools. */
const AHEAD = 256;

/** Walks both lists together: an entry that the other one has only further on was put in, or taken out. */
function listPatch(before: readonly unknown[], after: readonly unknown[], path: string): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  let from = 0;
  const remove = (to: number): void => {
    operations.push({ op: "remove", path: `${path}/${to}` });
    from += 1;
  };
  for (const [to, value] of after.entries()) {
    const gone = stepsTo(value, before, from);
    const isNew = gone !== 0 && (from >= before.length || stepsTo(before[from], after, to) > 0);
    if (isNew) operations.push({ op: "add", path: `${path}/${to}`, value });
    else {
      for (let i = 0; i < gone; i++) remove(to);
      operations.push(...jsonPatch(before[from++], value, `${path}/${to}`));
    }
  }
  while (from < before.length) remove(after.length);
  return operations;
}

/** How far on in a list an entry stands; below 0: it does not. */
function stepsTo(entry: unknown, list: readonly unknown[], from: number): number {
  return list.slice(from, from + 1 + AHEAD).findIndex((other) => equalJson(entry, other));
}
