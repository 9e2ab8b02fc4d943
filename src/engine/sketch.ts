/**
 * A text's sketch: one character for each of 32 buckets, the smallest hash among the words that fall there
 * (one-permutation MinHash, cut to 6 bits). Two sketches tell how many words two texts share, and nothing of the words.
 */
export type Sketch = string;

const BUCKETS = 32;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const EMPTY = ".";
/** Longer texts are sketched by head and tail. In characters. */
const SPAN = 8_192;

const WORD = /[\p{L}\p{N}_]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

export function sketch(text: string): Sketch {
  const sample = text.length > 2 * SPAN ? text.slice(0, SPAN) + text.slice(-SPAN) : text;
  const least = new Array<number>(BUCKETS).fill(Number.POSITIVE_INFINITY);
  for (const word of wordsIn(sample.toLowerCase())) {
    const hash = hash32(word);
    const bucket = hash % BUCKETS;
    const rank = hash >>> 5;
    if (rank < (least[bucket] ?? 0)) least[bucket] = rank;
  }
  return least.map((rank) => (rank === Number.POSITIVE_INFINITY ? EMPTY : ALPHABET[rank % 64])).join("");
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

function used(text: Sketch): number {
  let count = 0;
  for (const bucket of text) if (bucket !== EMPTY) count++;
  return count;
}

/** How much a text says, in words. Chinese and Japanese are written without spaces: two characters make a word there. */
export function countWords(text: string): number {
  let count = 0;
  for (const [word] of text.matchAll(WORD)) count += UNSPACED.test(word) ? Math.ceil(word.length / 2) : 1;
  return count;
}

/** Words; of unspaced scripts all pairs of neighbouring characters. */
function* wordsIn(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) {
    if (word.length <= 2 || !UNSPACED.test(word)) yield word;
    else for (let i = 0; i < word.length - 1; i++) yield word.slice(i, i + 2);
  }
}

/** FNV-1a with a final mix, so that low bits are as good as high ones. */
function hash32(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
