import { CAPITAL, GAP, isHalf, LETTER, letterOf, letterOfPair, SMALL } from "./char-class.ts";
import { asciiUnits, codeUnits, MOST_UNITS, readCodeUnits } from "./code-units.ts";

/** Gaps stand between words. */
export const MOST_WORDS = (MOST_UNITS >>> 1) + 1;

/**
 * The words that the last scan has found, in order: what is asked of a text is asked of these, not of its characters again.
 * Nothing stays here from one call to the next.
 */
export const starts = new Uint16Array(MOST_WORDS);
export const ends = new Uint16Array(MOST_WORDS);
/** FNV-1a over a word's units, those of ASCII in lower case. */
export const hashes = new Int32Array(MOST_WORDS);
/** What a word has, and what stands between it and the word before. */
export const traits = new Uint8Array(MOST_WORDS);

/** It has a digit. */
export const DIGIT = 1;
/** It has nothing else. */
export const DIGITS_ALONE = 2;
/** It has a character of a script without spaces. */
export const SPACELESS = 4;
/** Before it a line ends. */
export const LINE_END = 8;
/** Before it an object or a list of JSON begins or ends. */
export const OBJECT_END = 16;
/** Before it an element of markup begins. */
export const ELEMENT_END = 32;
/** Before it one of several things ends that are told in a row: a line, a cell, a quoted text. */
export const ITEM_END = 64;
/** It has a capital beyond ASCII. */
const WITH_CAPITALS = 128;

// Constants of a module's own cost nothing to look up, where those that it exports or imports do at each access.
const [ownUnits, ownStarts, ownEnds, ownHashes, ownTraits] = [asciiUnits, starts, ends, hashes, traits];

/** As `SMALL`, and 0 for all other units: to ask first whether a unit is ASCII takes as long as all else in a scan. */
const ASCII = new Uint8Array(0x10000);
ASCII.set(SMALL);
const SMALL_BYTES = ASCII.slice(0, 0x100);

const BEYOND_NINE = 0x3a;

/** By ASCII character. */
const GAPS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  const bits = [
    character === "\n" ? LINE_END : 0,
    "{}[]".includes(character) ? OBJECT_END : 0,
    character === "<" ? ELEMENT_END : 0,
    "\n\t\"',;|[]{}<>".includes(character) ? ITEM_END : 0,
  ];
  return bits.reduce((all, bit) => all | bit);
});

// FNV-1a over UTF-16 units
/** Of a word without characters. */
export const EMPTY_HASH = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

export function withUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, PRIME);
}

/** Words that a scan has found. */
export interface Scan {
  readonly count: number;
  /** There are capitals beyond ASCII. */
  readonly hasCapitals: boolean;
}

/** Finds the words of a text of at most `MOST_UNITS`, in one look at each of its units. */
export function scanWords(text: string): Scan {
  return readCodeUnits(text) ? scanAscii(text.length) : scanAny(text.length);
}

/** Bytes are read in two thirds of the time of larger units, where nothing else is asked of them. */
function scanAscii(length: number): Scan {
  let count = 0;
  let gaps = 0;
  for (let i = 0; i < length; ) {
    let small = SMALL_BYTES[ownUnits[i] ?? 0] ?? 0;
    if (small === 0) {
      gaps |= GAPS[ownUnits[i++] ?? 0] ?? 0;
      continue;
    }
    const start = i;
    let hash = EMPTY_HASH;
    let digits = 0;
    do {
      // 1 for a digit, 0 for what is beyond: a branch would cost more than the hash.
      digits += (small - BEYOND_NINE) >>> 31;
      hash = Math.imul(hash ^ small, PRIME);
      small = SMALL_BYTES[ownUnits[++i] ?? 0] ?? 0;
    } while (small !== 0);
    ownStarts[count] = start;
    ownEnds[count] = i;
    ownHashes[count] = hash;
    ownTraits[count++] = digits === 0 ? gaps : gaps | (digits === i - start ? DIGIT | DIGITS_ALONE : DIGIT);
    gaps = 0;
  }
  return { count, hasCapitals: false };
}

function scanAny(length: number): Scan {
  let count = 0;
  let gaps = 0;
  let all = 0;
  for (let i = 0; i < length; ) {
    const first = codeUnits[i] ?? 0;
    if (ASCII[first] === 0 && (first < 0x80 || letterIn(i) === GAP)) {
      if (first < 0x80) gaps |= GAPS[first] ?? 0;
      i++;
      continue;
    }
    starts[count] = i;
    i = scanAsciiWord(i, count, gaps);
    // As few words are of more than ASCII, nothing is lost by beginning again.
    if ((codeUnits[i] ?? 0) >= 0x80) {
      i = scanWord(starts[count] ?? 0, count, gaps);
      all |= traits[count] ?? 0;
    }
    ends[count++] = i;
    gaps = 0;
  }
  return { count, hasCapitals: (all & WITH_CAPITALS) !== 0 };
}

/** @returns where the word ends, or goes on beyond ASCII */
function scanAsciiWord(start: number, word: number, gaps: number): number {
  let hash = EMPTY_HASH;
  let digits = 0;
  let i = start;
  for (;;) {
    const small = ASCII[codeUnits[i] ?? 0] ?? 0;
    if (small === 0) break;
    digits += (small - BEYOND_NINE) >>> 31;
    hash = withUnit(hash, small);
    i++;
  }
  hashes[word] = hash;
  traits[word] = digits === 0 ? gaps : gaps | (digits === i - start ? DIGIT | DIGITS_ALONE : DIGIT);
  return i;
}

/** The same for any word. */
function scanWord(start: number, word: number, gaps: number): number {
  let hash = EMPTY_HASH;
  let digits = 0;
  let end = gaps;
  let i = start;
  for (; ; i++) {
    const unit = codeUnits[i] ?? 0;
    let small = unit;
    if (unit < 0x80) {
      small = SMALL[unit] ?? 0;
      if (small === 0) break;
      if (small < BEYOND_NINE) digits++;
    } else {
      const letter = letterIn(i);
      if (letter === GAP) break;
      if (letter !== LETTER) end |= letter === CAPITAL ? WITH_CAPITALS : SPACELESS;
    }
    hash = withUnit(hash, small);
  }
  if (digits > 0) end |= digits === i - start ? DIGIT | DIGITS_ALONE : DIGIT;
  hashes[word] = hash;
  traits[word] = end;
  return i;
}

/** Of those that were read last. */
export function isGapAt(i: number): boolean {
  const unit = codeUnits[i] ?? 0;
  return unit < 0x80 ? SMALL[unit] === 0 : letterIn(i) === GAP;
}

/** Of a unit beyond ASCII; both units of a pair are what their character is. */
export function letterIn(i: number): number {
  const unit = codeUnits[i] ?? 0;
  if (!isHalf(unit)) return letterOf(unit);
  if (unit < 0xdc00) return letterOfPair(unit, codeUnits[i + 1] ?? 0);
  return i === 0 ? GAP : letterOfPair(codeUnits[i - 1] ?? 0, unit);
}
