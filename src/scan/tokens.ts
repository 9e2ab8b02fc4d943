import { CLASS, classOf } from "../text/characters.ts";
import { HASH_SEED, hashUnit } from "../text/hash.ts";

/** What a UTF-16 unit is in a token, or means between two, a bit each. Emoji are gaps, as is all that is written with two units. */
const [WORD, DIGIT, UNSPACED, ENCODED] = [1, 2, 4, 8];
export const GAP = { line: 16, object: 32, element: 64, cell: 128 } as const;

const IN_WORD: Readonly<Record<number, number>> = {
  [CLASS.letter]: WORD,
  [CLASS.digit]: WORD | DIGIT,
  [CLASS.glyph]: WORD | UNSPACED,
};
const TRAITS = Uint8Array.from({ length: 65_536 }, (_, unit) =>
  unit >= 0xd800 && unit < 0xe000 ? 0 : (IN_WORD[classOf(unit)] ?? 0),
);
for (const [bits, units] of [
  [WORD, "_"],
  [ENCODED, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"],
  [GAP.line, "\n"],
  [GAP.object, "\n{}[]"],
  [GAP.element, "\n<"],
  [GAP.cell, "\n\t\"',;|[]{}<>"],
] as const)
  for (const unit of units) TRAITS[unit.charCodeAt(0)] = (TRAITS[unit.charCodeAt(0)] ?? 0) | bits;

/** Longer tokens are read in pieces. In characters. */
const LONGEST_TOKEN = 128;
/** Pictures, keys, digests: so long a run of such characters is one token. */
const LEAST_ENCODED = 80;

const [HYPHEN, COMMA, POINT, ZERO, NINE] = [0x2d, 0x2c, 0x2e, 0x30, 0x39];

/**
 * The tokens of a text in lower case, in order: a word, several that a hyphen joins, or a number with its points and commas. A number
 * right behind a word of another script than Latin is a token of its own. One record for all of them: a result has hundreds.
 */
export class Tokens {
  start = 0;
  end = 0;
  hash = 0;
  hasDigit = false;
  /** It is written in a script without spaces. */
  isUnspaced = false;
  /** What stands between it and the token before: bits of `GAP`. */
  gap = 0;
  readonly #text: string;
  /** End of the run of characters that may be encoded. */
  #runEnd = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes the next one; false: there is none. */
  next(): boolean {
    const text = this.#text;
    let [start, gap] = [this.end, 0];
    for (; start < text.length; start++) {
      const traits = TRAITS[text.charCodeAt(start)] ?? 0;
      if ((traits & WORD) !== 0) break;
      gap |= traits;
    }
    const last = Math.min(text.length, start + LONGEST_TOKEN);
    let [end, hash, some, all, before] = [start, HASH_SEED, 0, ENCODED, 0];
    for (; end < last; end++) {
      const unit = text.charCodeAt(end);
      const traits = TRAITS[unit] ?? 0;
      if ((traits & WORD) === 0 ? !joins(text, end, unit) : (traits & DIGIT) !== 0 && before >= 0x80) break;
      some |= traits;
      all &= traits;
      hash = hashUnit(hash, unit);
      before = unit;
    }
    if (all !== 0 && start >= this.#runEnd) {
      let [run, runHash] = [end, hash];
      for (; run < text.length && ((TRAITS[text.charCodeAt(run)] ?? 0) & ENCODED) !== 0; run++)
        runHash = hashUnit(runHash, text.charCodeAt(run));
      this.#runEnd = run;
      if (run - start >= LEAST_ENCODED) [end, hash, some] = [run, runHash, DIGIT];
    }
    this.start = start;
    this.end = end;
    this.hash = hash;
    this.hasDigit = (some & DIGIT) !== 0;
    this.isUnspaced = (some & UNSPACED) !== 0;
    this.gap = gap;
    return start < text.length;
  }

  /** How much the token says, in words: two characters make a word where there are no spaces. */
  words(): number {
    return this.isUnspaced ? Math.ceil((this.end - this.start) / 2) : 1;
  }
}

/** A mark joins two parts of one token: a hyphen words, a point or comma digits. */
function joins(text: string, at: number, mark: number): boolean {
  if (mark === HYPHEN) return ((TRAITS[text.charCodeAt(at + 1)] ?? 0) & WORD) !== 0;
  return (mark === POINT || mark === COMMA) && isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1));
}

export const isDigit = (unit: number): boolean => unit >= ZERO && unit <= NINE;

/** Of a longer text this much is read. In UTF-16 units. */
export const LONGEST_SAMPLE = 16_384;

/** Text in lower case of the same length, so that places in one are places in the other. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (word) => word.toLowerCase());
}
