import { hashText } from "./hash.ts";

/** A character for each six bits. */
export const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Codes of words, names or lines, one behind the other: 18 bits of a hash or of a signature each. */
export type Codes = string;

export const CODE = 3;

export function codesOf(codes: Codes = ""): readonly string[] {
  return codes.match(/[\w+/-]{3}/g) ?? [];
}

/** Where a code stands among others of its length; below 0 where it does not. */
export function placeOfCode(codes: string, code: string): number {
  let at = codes.indexOf(code);
  while (at % code.length > 0) at = codes.indexOf(code, at + 1);
  return at;
}

export function codeOfHash(hash: number): string {
  const bits = (hash ^ (hash >>> 15)) & 0x3ffff;
  return ALPHABET.charAt(bits & 63) + ALPHABET.charAt((bits >>> 6) & 63) + ALPHABET.charAt(bits >>> 12);
}

export function codeOfText(text: string): string {
  return codeOfHash(hashText(text));
}

/** Of longer texts no line is kept. In characters. */
const LONGEST = 65_536;
/** As JSON writes it, too. */
const LINE_END = /\n|\\n/;
const MOST_LINES = 32;
/** A shorter line stands anywhere, and could be guessed. In characters. */
const SHORTEST_LINE = 8;
/** Fewer lines are known by chance. */
const LEAST_LINES = 3;

/** Codes of a text's lines, sorted: of many lines those with the lowest codes, so that a part of the text has its share of them. */
export function lineCodes(text: string, seed: number): Codes {
  if (text.length > LONGEST) return "";
  const lines = text.split(LINE_END).map((line) => line.trim());
  const codes = new Set(
    lines.filter(({ length }) => length >= SHORTEST_LINE).map((line) => codeOfHash(hashText(line, seed))),
  );
  return codes.size < LEAST_LINES ? "" : [...codes].sort().slice(0, MOST_LINES).join("");
}

/** How many lines of a text stand in none of the others that are known whole, or, as far as half of them show it, in a longer one. */
export function unknownLines(text: Codes | undefined, others: readonly Codes[]): number {
  const lines = codesOf(text);
  if (lines.length < LEAST_LINES) return Number.POSITIVE_INFINITY;
  const isLong = ({ length }: Codes) => length === CODE * MOST_LINES;
  const isKnown = (line: string) => others.some((other) => !isLong(other) && placeOfCode(other, line) >= 0);
  const unknown = lines.filter((line) => !isKnown(line)).length;
  return Math.min(unknown, ...others.filter(isLong).map((long) => missingIn(lines, long)));
}

/** Of a long text the lines with higher codes are not kept. */
function missingIn(lines: readonly string[], long: Codes): number {
  const judged = lines.filter((line) => line <= long.slice(-CODE));
  const isEnough = judged.length >= LEAST_LINES && 2 * judged.length >= lines.length;
  return isEnough ? judged.filter((line) => placeOfCode(long, line) < 0).length : Number.POSITIVE_INFINITY;
}
