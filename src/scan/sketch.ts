import { ALPHABET } from "../text/codes.ts";
import { HASH_SEED, hashUnit } from "../text/hash.ts";
import { cutText } from "../text/text-span.ts";
import { LONGEST_SAMPLE, lowerCase, Tokens } from "./tokens.ts";

/**
 * A text's sketch: one character for each of 32 buckets, the smallest hash among the words that fall there
 * (one-permutation MinHash, cut to 6 bits). Two sketches tell how many words two texts share, and nothing of the words.
 */
export type Sketch = string;

const BUCKETS = 32;
const NONE = 0x7fffffff;
const EMPTY = ".";
export const BLANK: Sketch = EMPTY.repeat(BUCKETS);

export class Sketcher {
  readonly #ranks = new Int32Array(BUCKETS).fill(NONE);

  add(text: string, { start, end, hash, isUnspaced }: Tokens): void {
    if (!isUnspaced || end - start < 3) this.#rank(hash);
    else
      for (let i = start; i < end - 1; i++)
        this.#rank(hashUnit(hashUnit(HASH_SEED, text.charCodeAt(i)), text.charCodeAt(i + 1)));
  }

  /** A final mix, so that low bits are as good as high ones: they are the bucket. */
  #rank(fnv: number): void {
    let hash = Math.imul(fnv ^ (fnv >>> 16), 0x7feb352d);
    hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
    hash ^= hash >>> 16;
    const bucket = hash & (BUCKETS - 1);
    const rank = hash >>> 5;
    if (rank < (this.#ranks[bucket] ?? NONE)) this.#ranks[bucket] = rank;
  }

  sketch(): Sketch {
    let sketch = "";
    for (const rank of this.#ranks) sketch += rank === NONE ? EMPTY : ALPHABET.charAt((rank >>> 0) % ALPHABET.length);
    return sketch;
  }
}

/** @returns a text's sketch, and how many words it has */
export function readSpeech(text: string): { readonly like: Sketch; readonly words: number } {
  if (text === "") return { like: BLANK, words: 0 };
  const lower = lowerCase(cutText(text, LONGEST_SAMPLE));
  const sketcher = new Sketcher();
  const tokens = new Tokens(lower);
  let words = 0;
  while (tokens.next()) {
    words += tokens.words();
    sketcher.add(lower, tokens);
  }
  return { like: sketcher.sketch(), words };
}

export const countWords = (text: string): number => readSpeech(text).words;

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
  return !isBrief(a) && !isBrief(b) && similarity(a, b) >= NEARLY;
}

export function isBrief(text: Sketch): boolean {
  return text.replaceAll(EMPTY, "").length < ENOUGH;
}
