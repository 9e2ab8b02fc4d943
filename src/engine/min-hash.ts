import { LONGEST_ASCII } from "./ascii.ts";
import { GAP, letterAt, SMALL, UNSPACED } from "./char-class.ts";

export const BUCKETS = 32;
/** Of a bucket without words; no rank is as high. */
export const NONE = 0x7fffffff;
/** In UTF-16 units. */
export const LONGEST_SAMPLE = LONGEST_ASCII;

/**
 * A word's hash, whatever its case, puts it into a bucket and gives it a rank there: the least rank of each bucket. Of
 * unspaced scripts all pairs of neighbouring characters are words.
 * @param text up to `LONGEST_SAMPLE`
 * @returns good until ranks are asked for again
 */
export function leastRanks(text: string): Int32Array {
  const least = noRanks();
  rankText(text.toLowerCase(), least);
  return least;
}

/** Where ranks are gathered: good until it is asked for again. */
export function noRanks(): Int32Array {
  return ranks.fill(NONE);
}

const ranks = new Int32Array(BUCKETS);

/** The last word ends as it does before a blank. */
const BLANK = 0x20;

/** @param text in lower case */
function rankText(text: string, least: Int32Array): void {
  let hash = EMPTY_HASH;
  let from = 0;
  let isUnspaced = false;
  for (let i = 0; i <= text.length; i++) {
    const unit = i < text.length ? text.charCodeAt(i) : BLANK;
    const letter = unit < 0x80 ? (SMALL[unit] ?? GAP) : letterAt(text, i);
    if (letter !== GAP) {
      hash = withUnit(hash, unit);
      if (letter === UNSPACED) isUnspaced = true;
    } else {
      if (isUnspaced && i - from > 2) rankPairs(text, from, i, least);
      else if (from < i) rank(hash, least);
      hash = EMPTY_HASH;
      isUnspaced = false;
      from = i + 1;
    }
  }
}

function rankPairs(text: string, from: number, to: number, least: Int32Array): void {
  for (let i = from; i < to - 1; i++)
    rank(withUnit(withUnit(EMPTY_HASH, text.charCodeAt(i)), text.charCodeAt(i + 1)), least);
}

// FNV-1a over UTF-16 units
/** Of a word without characters. */
export const EMPTY_HASH = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

export function withUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, PRIME);
}

/** A final mix, so that low bits are as good as high ones: they are the bucket. */
export function rank(fnv: number, least: Int32Array): void {
  let hash = Math.imul(fnv ^ (fnv >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  hash ^= hash >>> 16;
  const bucket = hash & (BUCKETS - 1);
  const rankThere = hash >>> 5;
  if (rankThere < (least[bucket] ?? NONE)) least[bucket] = rankThere;
}
