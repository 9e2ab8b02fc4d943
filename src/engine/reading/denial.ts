import { alternatives, wordsFor } from "../../languages/languages.ts";
import { type Json, isObject as isRecord } from "../../text/is-object.ts";

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
export function absenceIn(report: string, value: Json, requested: readonly string[]): string | undefined {
  if (report.length > (value === undefined ? LONGEST_TEXT : LONGEST_RECORD)) return undefined;
  if (!listsNothing(value) && !countsNothing(report) && !isDenial(report, value)) return undefined;
  return requested.reduce(withoutEchoes, report);
}

function withoutEchoes(report: string, text: string): string {
  return report.includes(text) ? report.split(text).reduce((all, part) => joined(all, text, part)) : report;
}

function joined(before: string, text: string, after: string): string {
  const isWithinWord = areLetters(text.charAt(0), before.slice(-1)) || areLetters(text.slice(-1), after.charAt(0));
  return `${before}${isWithinWord ? text : ECHO}${after}`;
}

const areLetters = (one: string, other: string): boolean => WORD_CHARACTER.test(one) && WORD_CHARACTER.test(other);

/** "0 matches (911 files searched)". Of faults, money, orders none may be what was looked for. */
const NONE_OF = /^\W{0,4}0\s+(?:match(?:es)?|results?|hits?|files?|records?|rows?)\b/i;

const countsNothing = (report: string): boolean => NONE_OF.test(report);

/** Records lie in records so deep as a rule. */
const DEPTH = 4;

function listsNothing(value: Json): boolean {
  const lengths = listLengths(value, DEPTH);
  return lengths.length > 0 && lengths.every((length) => length === 0);
}

function listLengths(value: Json, depth: number): readonly number[] {
  if (Array.isArray(value)) return [value.length];
  if (!isRecord(value) || depth === 0) return [];
  return Object.values(value).flatMap((field) => listLengths(field, depth - 1));
}

/** A report is a line; what is longer is a page or a document. In characters. */
const LONGEST = 240;
/** Most fields of a record whose texts may be a denial; those of a larger record are data. */
const MOST_FIELDS = 4;

/** What a report quotes is not its own: a button may be called "No, thanks". */
const QUOTED =
  /「[^」]{0,80}」|『[^』]{0,80}』|“[^”]{0,80}”|"[^"]{0,80}"|'[^'\s][^']{0,80}'(?!\p{L})|`[^`]{0,80}`|\[[^\]]{0,80}\]|\([^)]{0,80}\)|<[^>]{0,80}>|https?:\S{1,200}/gu;

/** "Clicked …", "Navigated to …": what was done, in English told by its first word. */
const DONE = /^\P{L}*(?!(?:failed|denied|refused|timed|expired|rejected|blocked)\b)\p{L}{2,16}ed\b/iu;

/** The words by which a language denies, and those for what has run out: each has a handful, where the ways to fail have no end. */
const DENYING = new RegExp(wordsFor("denial"), "iu");

/** A failure that is denied is none: "no errors", "0 failed tests", "ohne Fehler". */
const NEGATED = new RegExp(
  String.raw`(?<!\p{L})(?:n['’]y a |ne \p{L}{2,24} )?(?:${alternatives("negation")})\s{0,3}(?:\p{L}{1,24}\s{1,3}){0,2}(?:${alternatives("fault")})(?!\p{L})|${alternatives("negatedFault")}`,
  "giu",
);

/** The short report of an action that denies it: the thing was not there, it could not be done, time ran out. */
export function isDenial(text: string, value: Json): boolean {
  const report = reportIn(text, value);
  if (report === undefined || report.length > LONGEST) return false;
  const own = report.replace(QUOTED, " ").replace(NEGATED, " ");
  return !DONE.test(own) && DENYING.test(own);
}

function reportIn(text: string, value: Json): string | undefined {
  if (value === undefined) return firstLine(text);
  if (!isRecord(value)) return undefined;
  const fields = Object.values(value);
  const texts = fields.filter((field) => typeof field === "string");
  return fields.length > MOST_FIELDS || texts.length === 0 ? undefined : texts.map(firstLine).join(" ");
}

function firstLine(text: string): string {
  const trimmed = text.trimStart().slice(0, LONGEST + 1);
  const end = trimmed.indexOf("\n");
  return end < 0 ? trimmed : trimmed.slice(0, end);
}
