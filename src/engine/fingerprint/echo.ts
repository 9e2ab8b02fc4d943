import { isRecord } from "../is-object.ts";

/** Shorter values stand in any text by chance; longer ones are no names. In characters. */
const SHORTEST = 3;
const LONGEST = 200;
/** Values of one call that are looked for, and the length of a result in which they are. */
const MOST_VALUES = 8;
const LONGEST_RESULT = 4_096;
const BEYOND_ASCII = /[^\x20-\x7e]/;

/** The words that a call asks with, the longest first: a result that says them again tells nothing by them. */
export function wordsAskedWith(args: unknown): readonly string[] {
  const values = isRecord(args) ? Object.values(args) : [args];
  return values
    .filter((value) => typeof value === "string")
    .map((value) => value.trim())
    .filter((value) => value.length <= LONGEST && value.length >= (BEYOND_ASCII.test(value) ? SHORTEST - 1 : SHORTEST))
    .slice(0, MOST_VALUES)
    .sort((a, b) => b.length - a.length);
}

/** A result without what its call has asked with, and what it has said again of that; empty if nothing. */
export function withoutEchoes(
  text: string,
  values: readonly string[],
): { readonly text: string; readonly echoes: string } {
  if (text.length > LONGEST_RESULT) return { text, echoes: "" };
  const echoes = values.filter((value) => text.includes(value));
  return { text: echoes.reduce((rest, value) => rest.replaceAll(value, " "), text), echoes: echoes.join("\n") };
}
