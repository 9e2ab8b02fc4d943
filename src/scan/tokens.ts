import { HASH_SEED, hashUnit } from "../text/hash.ts";
import { classOf, DIGIT_CHAR, GLYPH, LETTER_CHAR } from "../text/characters.ts";

/** Longer tokens are read in pieces. In characters. */
const LONGEST_TOKEN = 128;

/** A token and its place, in UTF-16 units. */
export interface Token {
  start: number;
  end: number;
  hash: number;
  hasDigit: boolean;
  /** It is written in a script without spaces: as many words as it has pairs of characters. */
  isUnspaced: boolean;
}

/**
 * Calls `take` with each token of a text in lower case, in order: a word, several that a hyphen joins, or a number with its
 * points and commas. A number right behind a word of another script than Latin is a token of its own. The token is the same object
 * each time.
 */
export function eachToken(text: string, take: (token: Token) => void): void {
  const token: Token = { start: 0, end: 0, hash: 0, hasDigit: false, isUnspaced: false };
  for (let at = 0; at < text.length; ) {
    if (!isWord(text.charCodeAt(at))) at++;
    else {
      readToken(text, at, token);
      take(token);
      at = token.end;
    }
  }
}

function readToken(text: string, start: number, token: Token): void {
  let hash = HASH_SEED;
  let hasDigit = false;
  let isUnspaced = false;
  let end = start;
  for (const last = Math.min(text.length, start + LONGEST_TOKEN); end < last; end++) {
    const unit = text.charCodeAt(end);
    const what = WORD_CLASSES[unit];
    if (what === GAP && !joins(text, end, unit)) break;
    if (what === DIGIT_CHAR) {
      if (end > start && text.charCodeAt(end - 1) >= 0x80) break;
      hasDigit = true;
    } else if (what === GLYPH) isUnspaced = true;
    hash = hashUnit(hash, unit);
  }
  token.start = start;
  token.end = end;
  token.hash = hash;
  token.hasDigit = hasDigit;
  token.isUnspaced = isUnspaced;
}

const GAP = 0;
const UNDERSCORE = 0x5f;
/** By UTF-16 unit: what it is in a word. Emoji are gaps, as is all that is written with two units. */
const WORD_CLASSES = wordClasses();

function wordClasses(): Uint8Array {
  const classes = new Uint8Array(65_536);
  for (let unit = 0; unit < classes.length; unit++) {
    const what = unit === UNDERSCORE ? LETTER_CHAR : classOf(unit);
    const isPair = unit >= 0xd800 && unit < 0xe000;
    if (what === LETTER_CHAR || what === DIGIT_CHAR || (what === GLYPH && !isPair)) classes[unit] = what;
  }
  return classes;
}

function isWord(unit: number): boolean {
  return WORD_CLASSES[unit] !== GAP;
}

function joins(text: string, at: number, unit: number): boolean {
  if (unit === HYPHEN) return at + 1 < text.length && isWord(text.charCodeAt(at + 1));
  if (text[at] !== "." && text[at] !== ",") return false;
  return isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1));
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

const HYPHEN = 0x2d;

/** How much a token says, in words: two characters make a word where there are no spaces. */
export function wordsOf({ start, end, isUnspaced }: Token): number {
  return isUnspaced ? Math.ceil((end - start) / 2) : 1;
}

/** Text in lower case of the same length, so that places in one are places in the other. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (word) => word.toLowerCase());
}

/** How much a text says, in words. */
export function countWords(text: string): number {
  let count = 0;
  eachToken(text, (token) => {
    count += wordsOf(token);
  });
  return count;
}
