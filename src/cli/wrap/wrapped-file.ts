import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { areTexts, isObject } from "../../text/is-object.ts";
import { sha256Hex } from "../../text/keyed-hash.ts";
import type { AgentEnvironment, ConfigValue, Environment, FileChange } from "./agent.ts";
import { configEdits, edited, inverseOf, type TextEdit, valueAt } from "./config-text.ts";
import { parseJson } from "../../text/parse-json.ts";

/** Behind the name of a changed file: the name of its journal. */
export const JOURNAL = ".unloop-wrap.json";

/** A wrap that uses a changed file. */
export interface Holder {
  /** The process of the wrap. */
  readonly pid: number;
  /** Its guard, which tells a living wrap from another process of the same number. */
  readonly guard: string;
  readonly values: readonly ConfigValue[];
}

/**
 * What is written down beside a file before it is changed: enough to give it back byte for byte, and none of its other
 * contents, since these may be keys.
 */
export interface ChangeJournal {
  readonly format: FileChange["format"];
  /** Values at the changed places before the change; null where there was none. */
  readonly before: readonly { readonly at: ConfigValue["at"]; readonly value: string | null }[];
  /** Hash of the file as it was left. */
  readonly written: string;
  /** Edits that undo the change, one list after the other, as long as nothing else has changed the file. */
  readonly undo: readonly (readonly TextEdit[])[];
  /** Values of wraps that have ended: they may still stand in a file that something else has written meanwhile. */
  readonly past: readonly string[];
  readonly holders: readonly Holder[];
}

export interface ChangedFile {
  readonly text: string;
  /** Undefined: no process uses the file any more, and it is as it was. */
  readonly journal: ChangeJournal | undefined;
}

/** The file for these holders, the last of whom is served. Pure: the journal and the text say all. */
export function changedFor(
  text: string,
  format: FileChange["format"],
  journal: ChangeJournal | undefined,
  holders: readonly Holder[],
): ChangedFile {
  const original = journal === undefined ? text : restored(text, journal);
  const values = holders.at(-1)?.values;
  if (values === undefined) return { text: original, journal: undefined };
  let now = original;
  const undo: (readonly TextEdit[])[] = [];
  for (const { at, value } of values) {
    const edits = configEdits(now, format, at, value);
    undo.unshift(inverseOf(now, edits));
    now = edited(now, edits);
  }
  const before = values.map(({ at }) => ({ at, value: textAt(original, format, at) }));
  const past = [...new Set([...(journal?.past ?? []), ...oursIn(journal)])].slice(-64);
  return { text: now, journal: { format, before, written: sha256Hex(now), undo, past, holders } };
}

/** The file without the change: its very bytes, or, where something else has written it meanwhile, our values alone undone. */
export function restored(text: string, journal: ChangeJournal): string {
  if (sha256Hex(text) === journal.written) return journal.undo.reduce(edited, text);
  const ours = new Set([...journal.past, ...oursIn(journal)]);
  return journal.before.reduce((now, { at, value }) => {
    const isOurs = ours.has(textAt(now, journal.format, at) ?? "");
    return isOurs ? edited(now, configEdits(now, journal.format, at, value ?? undefined)) : now;
  }, text);
}

function oursIn(journal: ChangeJournal | undefined): readonly string[] {
  return journal?.holders.flatMap(({ values }) => values.map(({ value }) => value)) ?? [];
}

function textAt(text: string, format: FileChange["format"], at: ConfigValue["at"]): string | null {
  const value = valueAt(text, format, at);
  return typeof value === "string" ? value : null;
}

export function isJournal(value: unknown): value is ChangeJournal {
  if (!isObject(value)) return false;
  const { format, before, written, undo, past, holders } = value;
  const isFormat = format === "json" || format === "yaml";
  return isFormat && areTexts(written) && [before, undo, past, holders].every(Array.isArray);
}

/** What an agent with these arguments would be started among here and now, if nothing else wrapped it. */
export function surroundingsFor(env: Environment, args: readonly string[]): AgentEnvironment {
  return { ...changedSurroundings(env, args), read: originalOf };
}

/** The same with its files as they are, changed for another wrap or not. */
export function changedSurroundings(env: Environment, args: readonly string[]): AgentEnvironment {
  return { env, home: homedir(), cwd: process.cwd(), args, read: readIfThere };
}

/** Another wrap has changed the file: its guard is not where the agent would send requests, and it ends before this one may. */
function originalOf(path: string): string | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const journal = parseJson(readIfThere(realpathSync(path) + JOURNAL) ?? "");
  return isJournal(journal) ? restored(text, journal) : text;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // No such file is the usual case, and one that cannot be read is the agent's to complain of.
    return undefined;
  }
}
