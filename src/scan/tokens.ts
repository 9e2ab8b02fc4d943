import { HASH_SEED, hashUnit } from "../text/hash.ts";
import { CLASS, type CharacterClass, classOf } from "../text/characters.ts";

/** Longer tokens are read in pieces. In characters. */
const LONGEST_TOKEN = 128;

interface Reading {
  start: number;
  end: number;
  hash: number;
  hasDigit: boolean;
  /** It is written in a script without spaces: as many words as it has pairs of characters. */
  isUnspaced: boolean;
}

/** Of one text it is one record, filled anew for each token: a result has hundreds. */
export type Token = Readonly<Reading>;

/**
 * Calls `take` with each token of a text in lower case, in order: a word, several that a hyphen joins, or a number with its
 * points and commas. A number right behind a word of another script than Latin is a token of its own.
 */
export function eachToken(text: string, take: (token: Token) => void): void {
  const token: Reading = { start: 0, end: 0, hash: 0, hasDigit: false, isUnspaced: false };
  for (let at = 0; at < text.length; ) {
    if (wordClass(text.charCodeAt(at)) === CLASS.mark) at++;
    else {
      readToken(text, at, token);
      take(token);
      at = token.end;
    }
  }
}

function readToken(text: string, start: number, token: Reading): void {
  let [end, hash, hasDigit, isUnspaced] = [start, HASH_SEED, false, false];
  for (const last = Math.min(text.length, start + LONGEST_TOKEN); end < last; end++) {
    const unit = text.charCodeAt(end);
    const what = wordClass(unit);
    if (what === CLASS.mark && !joins(text, end)) break;
    if (what === CLASS.digit && end > start && text.charCodeAt(end - 1) >= 0x80) break;
    hasDigit ||= what === CLASS.digit;
    isUnspaced ||= what === CLASS.glyph;
    hash = hashUnit(hash, unit);
  }
  token.start = start;
  token.end = end;
  token.hash = hash;
  token.hasDigit = hasDigit;
  token.isUnspaced = isUnspaced;
}

const UNDERSCORE = 0x5f;

/** What a UTF-16 unit is in a word; a mark where it is none. Emoji are gaps, as is all that is written with two units. */
function wordClass(unit: number): CharacterClass {
  if (unit === UNDERSCORE) return CLASS.letter;
  const what = classOf(unit);
  return what < CLASS.letter || (unit >= 0xd800 && unit < 0xe000) ? CLASS.mark : what;
}

/** A mark joins two parts of one token: a hyphen words, a point or comma digits. */
function joins(text: string, at: number): boolean {
  const mark = text[at];
  if (mark === "-") return wordClass(text.charCodeAt(at + 1)) !== CLASS.mark;
  return (mark === "." || mark === ",") && /\d/.test(text.charAt(at - 1)) && /\d/.test(text.charAt(at + 1));
}

/** How much a token says, in words: two characters make a word where there are no spaces. */
export function wordsOf({ start, end, isUnspaced }: Token): number {
  return isUnspaced ? Math.ceil((end - start) / 2) : 1;
}

/** Text in lower case of the same length, so that places in one are places in the other. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (word) => word.toLowerCase());
}

export function countWords(text: string): number {
  let count = 0;
  eachToken(text, (token) => {
    count += wordsOf(token);
  });
  return count;
}
