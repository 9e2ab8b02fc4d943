import { HASH_SEED, hashUnit } from "../text/hash.ts";
import { CLASS, type CharacterClass, classOf } from "../text/characters.ts";

const UNDERSCORE = 0x5f;
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
  for (let start = 0; start < text.length; start++) {
    if (wordClass(text.charCodeAt(start)) === CLASS.mark) continue;
    const last = Math.min(text.length, start + LONGEST_TOKEN);
    let hash = HASH_SEED;
    let hasDigit = false;
    let isUnspaced = false;
    let end = start;
    for (; end < last; end++) {
      const unit = text.charCodeAt(end);
      const what = wordClass(unit);
      if (what === CLASS.mark) {
        if (!joins(text, end, unit)) break;
      } else if (what === CLASS.digit) {
        if (end > start && text.charCodeAt(end - 1) >= 0x80) break;
        hasDigit = true;
      } else if (what === CLASS.glyph) isUnspaced = true;
      hash = hashUnit(hash, unit);
    }
    token.start = start;
    token.end = end;
    token.hash = hash;
    token.hasDigit = hasDigit;
    token.isUnspaced = isUnspaced;
    take(token);
    start = end - 1;
  }
}

/** What each UTF-16 unit is in a word; a mark where it is none. Emoji are gaps, as is all that is written with two units. */
const WORD_CLASSES = Uint8Array.from({ length: 65_536 }, (_, unit) => {
  const what = unit === UNDERSCORE ? CLASS.letter : classOf(unit);
  return what < CLASS.letter || (unit >= 0xd800 && unit < 0xe000) ? CLASS.mark : what;
});

/** A mark behind the end of a text, too. */
const wordClass = (unit: number): CharacterClass => (WORD_CLASSES[unit] ?? CLASS.mark) as CharacterClass;

const [HYPHEN, POINT, COMMA] = [0x2d, 0x2e, 0x2c];

/** A mark joins two parts of one token: a hyphen words, a point or comma digits. */
function joins(text: string, at: number, mark: number): boolean {
  if (mark === HYPHEN) return wordClass(text.charCodeAt(at + 1)) !== CLASS.mark;
  return (mark === POINT || mark === COMMA) && isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1));
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

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
