/** Character classes for splitting a text into words. */
export type CharClass = 0 | 1 | 2;

/** It stands between words. */
export const GAP = 0;
/** Part of a word: letters, digits, the underscore. */
export const LETTER = 1;
/** The same, of a script that is written without spaces. */
export const UNSPACED = 2;

const WORD = /[\p{L}\p{N}_]/u;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** By ASCII character: its lower case if it is part of a word, else 0. */
export const SMALL = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return WORD.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});

/** Characters of the basic plane by 256, each block made when one of it is met: an expression for each costs too much. */
const blocks: Uint8Array[] = [];
const BLOCK = 256;

/** Of the unit at an index; both units of a pair are what their character is. */
export function letterAt(text: string, i: number): CharClass {
  const unit = text.charCodeAt(i);
  if (unit < 0xd800 || unit > 0xdfff) return letterOf(unit);
  const from = unit < 0xdc00 ? i : i - 1;
  const point = text.codePointAt(from) ?? unit;
  return point > 0xffff ? ask(point) : GAP;
}

/** Of a unit that is no half of a pair. */
export function letterOf(unit: number): CharClass {
  const block = blocks[unit >>> 8] ?? newBlock(unit >>> 8);
  return (block[unit & (BLOCK - 1)] ?? GAP) as CharClass;
}

function newBlock(index: number): Uint8Array {
  const block = Uint8Array.from({ length: BLOCK }, (_, i) => ask(index * BLOCK + i));
  blocks[index] = block;
  return block;
}

function ask(point: number): CharClass {
  const character = String.fromCodePoint(point);
  if (!WORD.test(character)) return GAP;
  return WITHOUT_SPACES.test(character) ? UNSPACED : LETTER;
}
