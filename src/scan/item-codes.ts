import type { NumberSort } from "./number-token.ts";

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
  readonly #found = new Set<number>();
  #hash = SEED;
  #tokens = 0;
  /** A bare number of few digits is a count or a page more often than an item. */
  #says = false;

  /** @param most codes that are kept */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#found.size;
  }

  /** In the order in which they came. */
  codes(): readonly string[] {
    return [...this.#found].map(codeOf);
  }

  add({ hash, sort, end }: ItemToken, from: number): void {
    this.#hash = Math.imul(this.#hash ^ hash, 0x01000193);
    this.#tokens++;
    if (sort === "name" || end - from >= LEAST_DIGITS) this.#says = true;
  }

  /** Ends the current item. */
  end(): void {
    if (this.#tokens === 0) return;
    if (this.#says && this.#tokens <= MOST_WORDS && this.#found.size < this.#most) this.#found.add(bitsOf(this.#hash));
    this.drop();
  }

  /** Discards the current item. */
  drop(): void {
    this.#hash = SEED;
    this.#tokens = 0;
    this.#says = false;
  }
}

const SEED = 0x811c9dc5 | 0;
const LEAST_DIGITS = 4;
const MOST_WORDS = 6;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Code of a hash: 18 of its bits. */
function bitsOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & 0x3ffff;
}

function codeOf(bits: number): string {
  return ALPHABET.charAt(bits & 63) + ALPHABET.charAt((bits >>> 6) & 63) + ALPHABET.charAt(bits >>> 12);
}

/** Three characters for a hash. */
export function codeOfHash(hash: number): string {
  return codeOf(bitsOf(hash));
}

/** Codes that stand in one text, to be asked of many hashes. */
export class CodeSet {
  readonly #bits = new Set<number>();

  constructor(codes: string) {
    const digit = (at: number) => ALPHABET.indexOf(codes.charAt(at));
    for (let at = 0; at < codes.length; at += 3)
      this.#bits.add(digit(at) | (digit(at + 1) << 6) | (digit(at + 2) << 12));
  }

  hasHash(hash: number): boolean {
    return this.#bits.has(bitsOf(hash));
  }
}
