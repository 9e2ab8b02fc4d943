import { BUCKETS, NONE } from "./min-hash.ts";

/**
 * A text's sketch: one character for each of 32 buckets, the smallest hash among the words that fall there
 * (one-permutation MinHash, cut to 6 bits). Two sketches tell how many words two texts share, and nothing of the words.
 */
export type Sketch = string;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const EMPTY = ".";
/** What a text without words looks like. */
export const BLANK: Sketch = EMPTY.repeat(BUCKETS);
/** @param least of each bucket the least rank */
export function sketchOf(least: Int32Array): Sketch {
  const codes = new Array<number>(BUCKETS);
  for (let i = 0; i < BUCKETS; i++) codes[i] = codeFor(least[i] ?? NONE);
  return String.fromCharCode(...codes);
}

function codeFor(rank: number): number {
  return rank === NONE ? EMPTY.charCodeAt(0) : ALPHABET.charCodeAt(rank % ALPHABET.length);
}

/** About the share of words that two texts have in common, 0 to 1. Two texts without words are equal. */
export function similarity(a: Sketch, b: Sketch): number {
  let used = 0;
  let equal = 0;
  for (let i = 0; i < BUCKETS; i++) {
    if (a[i] === EMPTY && b[i] === EMPTY) continue;
    used++;
    if (a[i] === b[i]) equal++;
  }
  return used === 0 ? 1 : equal / used;
}

/** Fewer used buckets say too little about what two texts have in common. */
const ENOUGH = 12;
const NEARLY = 0.8;

/** Two texts of some length that share at least four fifths of their words. */
export function nearlyEqual(a: Sketch, b: Sketch): boolean {
  return used(a) >= ENOUGH && used(b) >= ENOUGH && similarity(a, b) >= NEARLY;
}

/** Too few words to compare it by. */
export function isBrief(text: Sketch): boolean {
  return used(text) < ENOUGH;
}

function used(text: Sketch): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (text[i] !== EMPTY) count++;
  return count;
}
