import { hashText } from "./hash.ts";

/** A character for each six bits. */
export const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Codes of words, names or lines, one behind the other: 18 bits of a hash each, too few to tell what was hashed. */
export type Codes = string;

export const CODE = 3;

export function codesOf(codes: Codes = ""): readonly string[] {
  return codes.match(/[\w+/-]{3}/g) ?? [];
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
/** What a viewer or a list puts in front of a line: its number. */
const GUTTER = /^[^\p{L}]{1,40}/u;
const FIGURE = /\d/;
/** A shorter line stands anywhere. In characters. */
const SHORTEST_LINE = 6;

/** Codes of a text's lines, sorted: of many lines those with the lowest codes, so that a part of the text has its share of them. */
export function lineCodes(text: string): Codes {
  if (text.length > LONGEST) return "";
  const codes = new Set<string>();
  for (const line of text.split(LINE_END)) {
    const plain = line.replace(GUTTER, "").trim();
    if (plain.length >= SHORTEST_LINE) codes.add(codeOfText(plain));
    else if (FIGURE.test(line)) codes.add(codeOfText(line.trim()));
  }
  return codes.size < LEAST_LINES ? "" : [...codes].sort().slice(0, MOST_LINES).join("");
}

/** Fewer lines are known by chance. */
const LEAST_LINES = 3;

/** Whether the lines of a text stand in others, as far as these are known. @param isWhole whether no line may be unknown */
export function isPartOf(text: Codes | undefined, others: readonly Codes[], isWhole: boolean): boolean {
  const lines = codesOf(text);
  if (lines.length < LEAST_LINES || (isWhole && lines.length === MOST_LINES)) return false;
  const near = others.map(codesOf).filter((other) => lines.some((line) => other.includes(line)));
  const all = new Set(near.flat());
  // Of a long text the lines with higher codes are not kept.
  const ends = near.filter(({ length }) => length === MOST_LINES).map((other) => other.at(-1) ?? "");
  const known = lines.filter((line) => all.has(line)).length;
  const isNew = (line: string) => !all.has(line) && (isWhole || ends.every((end) => line <= end));
  return known >= LEAST_LINES && !lines.some(isNew);
}
