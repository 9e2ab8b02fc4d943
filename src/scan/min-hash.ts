import { SMALL } from "./char-class.ts";
import { codeUnits } from "./code-units.ts";
import { EMPTY_HASH, ends, hashes, SPACELESS, starts, traits, withUnit } from "./word-scan.ts";

export const BUCKETS = 32;
/** Rank of a bucket without words; no real rank is as high. */
export const NONE = 0x7fffffff;

/**
 * A word's hash, whatever its case, puts it into a bucket and gives it a rank there: the least rank of each bucket. Of
 * unspaced scripts all pairs of neighbouring characters are words.
 * @param count of the words that were found last
 * @returns good until ranks are asked for again
 */
export function leastRanks(count: number): Int32Array {
  ranks.fill(NONE);
  for (let word = 0; word < count; word++) {
    const isSpaceless = ((traits[word] ?? 0) & SPACELESS) !== 0;
    if (isSpaceless && lengthOf(word) > 2) rankPairs(starts[word] ?? 0, ends[word] ?? 0);
    else rank(hashes[word] ?? 0);
  }
  return ranks;
}

const ranks = new Int32Array(BUCKETS);

export function lengthOf(word: number): number {
  return (ends[word] ?? 0) - (starts[word] ?? 0);
}

function rankPairs(from: number, to: number): void {
  for (let i = from; i < to - 1; i++) rank(withUnit(withUnit(EMPTY_HASH, smallAt(i)), smallAt(i + 1)));
}

function smallAt(i: number): number {
  const unit = codeUnits[i] ?? 0;
  return unit < 0x80 ? (SMALL[unit] ?? 0) : unit;
}

/** A final mix, so that low bits are as good as high ones: they are the bucket. */
function rank(fnv: number): void {
  let hash = Math.imul(fnv ^ (fnv >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  hash ^= hash >>> 16;
  const bucket = hash & (BUCKETS - 1);
  const rankThere = hash >>> 5;
  if (rankThere < (ranks[bucket] ?? NONE)) ranks[bucket] = rankThere;
}
