import { isRecord } from "../is-object.ts";
import { isDenial } from "./denial.ts";

/** What is longer tells more than that nothing was found: as text, and as a record with its envelope. In characters. */
const LONGEST_TEXT = 160;
const LONGEST_RECORD = 400;
/** What stands for a text that the call asked with. */
const ECHO = "\u2026";
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/**
 * A short report that nothing was found, without the texts that its call asked with: whatever is searched for, it says the same.
 * Undefined where something was found.
 * @param requested the texts, the longest first
 * @param value the report's own, where it is JSON
 */
export function absenceIn(report: string, value: unknown, requested: readonly string[]): string | undefined {
  if (report.length > (value === undefined ? LONGEST_TEXT : LONGEST_RECORD)) return undefined;
  if (!listsNothing(value) && !isDenial(report, value)) return undefined;
  return requested.reduce(withoutEchoes, report);
}

function withoutEchoes(report: string, text: string): string {
  return report.includes(text) ? report.split(text).reduce((all, part) => joined(all, text, part)) : report;
}

/** An echo ends where a word ends. */
function joined(before: string, text: string, after: string): string {
  const isWithinWord = areLetters(text.charAt(0), before.slice(-1)) || areLetters(text.slice(-1), after.charAt(0));
  return `${before}${isWithinWord ? text : ECHO}${after}`;
}

const areLetters = (one: string, other: string): boolean => WORD_CHARACTER.test(one) && WORD_CHARACTER.test(other);

/** Records lie in records so deep as a rule. */
const DEPTH = 4;

/** There are lists in it, and nothing in any of them. */
function listsNothing(value: unknown): boolean {
  const lengths = listLengths(value, DEPTH);
  return lengths.length > 0 && lengths.every((length) => length === 0);
}

function listLengths(value: unknown, depth: number): readonly number[] {
  if (Array.isArray(value)) return [value.length];
  if (!isRecord(value) || depth === 0) return [];
  return Object.values(value).flatMap((field) => listLengths(field, depth - 1));
}
