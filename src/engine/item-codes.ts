import type { NumberSort } from "./slot.ts";

interface ItemToken {
  readonly end: number;
  readonly hash: number;
  readonly sort: NumberSort;
}

/**
 * Items that a text lists, as codes of three characters: what stands between line ends, commas, quotes and bars. Fed token by
 * token by who reads the text anyway. Holds no text.
 */
export class ItemCodes {
  readonly #most: number;
  readonly #codes = new Set<string>();
  #hash = SEED;
  #tokens = 0;
  /** A bare number of few digits is a count or a page more often than an item. */
  #says = false;

  /** @param most codes that are kept */
  constructor(most: number) {
    this.#most = most;
  }

  get codes(): ReadonlySet<string> {
    return this.#codes;
  }

  add({ hash, sort, end }: ItemToken, from: number): void {
    this.#hash = Math.imul(this.#hash ^ hash, 0x01000193);
    this.#tokens++;
    if (sort === "name" || end - from >= LEAST_DIGITS) this.#says = true;
  }

  /** A character between words: perhaps the end of an item. */
  endAt(code: number): void {
    if (this.#tokens === 0 || ENDS[code] !== 1) return;
    if (this.#says && this.#tokens <= MOST_WORDS && this.#codes.size < this.#most) this.#codes.add(codeOf(this.#hash));
    this.drop();
  }

  /** What was read so far is no item. */
  drop(): void {
    this.#hash = SEED;
    this.#tokens = 0;
    this.#says = false;
  }
}

const SEED = 0x811c9dc5 | 0;
const LEAST_DIGITS = 4;
const MOST_WORDS = 6;
/** By ASCII character: 1 where an item ends. */
const ENDS = Uint8Array.from({ length: 128 }, (_, code) =>
  "\n\t\"',;|[]{}<>".includes(String.fromCharCode(code)) ? 1 : 0,
);

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Three characters for a hash. */
export function codeOf(hash: number): string {
  const stirred = hash ^ (hash >>> 15);
  const [first, second, third] = [stirred & 63, (stirred >>> 6) & 63, (stirred >>> 12) & 63];
  return ALPHABET.charAt(first) + ALPHABET.charAt(second) + ALPHABET.charAt(third);
}
