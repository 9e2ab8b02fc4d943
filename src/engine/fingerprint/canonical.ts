import type { Json, JsonObject } from "../../text/is-object.ts";
import type { Work } from "../../work.ts";

/** Deeper values than this are compared as raw text: no real tool call nests so far, and recursion must end. */
const MAX_DEPTH = 100;

export type KeepField = (key: string, value: Json, depth: number) => boolean;

export type TextForm = (text: string) => string;

/** Blanks at the ends of lines, and lines without anything, change nothing that a text says. */
export function withoutBlankEnds(text: string): string {
  if (!text.includes("\n")) return text;
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines.filter((line) => line !== "").join("\n");
}

/** Parses a text that may be JSON; undefined if it is not. Numbers too long for a double keep all their digits. */
export function parseJsonText(text: string, work: Work): Json {
  if (work.isSpent()) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return LONG_NUMBER.test(text) ? JSON.parse(withLongNumbersAsText(text)) : value;
  } catch {
    // Broken arguments are ordinary input: the caller compares the raw text instead.
    return undefined;
  }
}

/** The list or object that a whole text is, without blanks around it; undefined for all other texts. */
export function jsonIn(text: string, work: Work): Json {
  // An attempt at what is no JSON costs more than all else that is done with a text.
  const isCandidate = (text.startsWith("{") && text.endsWith("}")) || (text.startsWith("[") && text.endsWith("]"));
  return isCandidate ? parseJsonText(text, work) : undefined;
}

/** What a name takes that was not among those before it, beside what each member takes. */
const NAME_WORK = 32;

/**
 * One text for all spellings of the same JSON value: keys sorted at every depth, `__proto__` a key like any other.
 * Undefined when the value nests too deep, or its names take more work than is left.
 */
export function canonicalForm(
  value: Json,
  work: Work,
  keep: KeepField = () => true,
  textForm: TextForm = (text) => text,
): string | undefined {
  const names = new Map<string, string>();
  const orders: { readonly keys: readonly string[]; readonly sorted: readonly string[] }[] = [];
  let isOver = false;
  const form = written(value, 0);
  return isOver ? undefined : form;

  function written(node: Json, depth: number): string {
    if (typeof node === "string") return quoted(textForm(node));
    if (typeof node !== "object" || node === null) return String(node);
    isOver ||= depth >= MAX_DEPTH;
    if (isOver) return "";
    let out = "";
    if (Array.isArray(node)) {
      for (const item of node) out += `${written(item, depth + 1)},`;
      return `[${out}]`;
    }
    for (const key of inOrder(Object.keys(node), depth)) {
      const field = (node as JsonObject)[key];
      if (keep(key, field, depth)) out += `${nameOf(key)}${written(field, depth + 1)},`;
    }
    return `{${out}}`;
  }

  /** Rows of a table have the same names. */
  function inOrder(keys: readonly string[], depth: number): readonly string[] {
    const last = orders[depth];
    if (last?.keys.length === keys.length && last.keys.every((key, i) => key === keys[i])) return last.sorted;
    const sorted = [...keys].sort();
    orders[depth] = { keys, sorted };
    return sorted;
  }

  function nameOf(key: string): string {
    const known = names.get(key);
    if (known === undefined && !work.spend(NAME_WORK)) isOver = true;
    const name = known ?? `${quoted(key)}:`;
    if (known === undefined) names.set(key, name);
    return name;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has an escape for each of them
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

const LONG_NUMBER = /\d{16}/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Ids beyond 2^53 differ although `JSON.parse` makes them equal. The mark keeps them apart from true strings. */
function withLongNumbersAsText(json: string): string {
  return json.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || String(Number(token)) === token || !LONG_NUMBER.test(token)
      ? token
      : JSON.stringify(`\u0000${token}`),
  );
}
