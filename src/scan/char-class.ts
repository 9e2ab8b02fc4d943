/** Character classes for splitting a text into words. */
export type CharClass = 0 | 1 | 2 | 3;

/** It stands between words. */
export const GAP = 0;
/** Part of a word: letters, digits, the underscore. */
export const LETTER = 1;
/** Letter of a script that is written without spaces. */
export const UNSPACED = 2;
/** A letter that lower case writes otherwise. */
export const CAPITAL = 3;

const WORD = /[\p{L}\p{N}_]/u;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** By ASCII character: its lower case if it is part of a word, else 0. Made without `WORD`, whose first use takes milliseconds at each start. */
export const SMALL = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /\w/.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});

/** Characters of the basic plane by 256, each block made when one of it is met: an expression for each costs too much. */
const blocks: Uint8Array[] = [];
const BLOCK = 256;

/** Class of the unit at an index; both units of a surrogate pair have the class of their character. */
export function letterAt(text: string, i: number): CharClass {
  const unit = text.charCodeAt(i);
  if (!isHalf(unit)) return letterOf(unit);
  return unit < 0xdc00 ? letterOfPair(unit, text.charCodeAt(i + 1)) : letterOfPair(text.charCodeAt(i - 1), unit);
}

/** Half of a pair, or of none. */
export function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** Class of a unit that is not half of a surrogate pair. */
export function letterOf(unit: number): CharClass {
  const block = blocks[unit >>> 8] ?? newBlock(unit >>> 8);
  return (block[unit & (BLOCK - 1)] ?? GAP) as CharClass;
}

/** Class of the character that two units form; a gap where they form none. */
export function letterOfPair(high: number, low: number): CharClass {
  const isPair = high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
  return isPair ? ask(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)) : GAP;
}

function newBlock(index: number): Uint8Array {
  const block = Uint8Array.from({ length: BLOCK }, (_, i) => ask(index * BLOCK + i));
  blocks[index] = block;
  return block;
}

function ask(point: number): CharClass {
  const character = String.fromCodePoint(point);
  if (!WORD.test(character)) return GAP;
  if (WITHOUT_SPACES.test(character)) return UNSPACED;
  return character.toLowerCase() === character ? LETTER : CAPITAL;
}
