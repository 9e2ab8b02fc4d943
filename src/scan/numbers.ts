import { ALPHABET, placeOfCode } from "../text/codes.ts";
import type { Token } from "./tokens.ts";

/**
 * Two characters for a token with a digit in it: what sort it is of, and enough to tell it from others. Of a number the rest of
 * a division and its size to a tenth, without how many times 256 that is: it shows whether numbers move, and which way. Of all
 * else some bits of its hash.
 */
export type NumberToken = string;

/** Rests of whole numbers, and after them those of whole numbers that a whole is named with: 3 of 12. */
const RESTS = 16;
const PART = 16;
/** Shares of one, such as how well a hit fits; then all other numbers with a point. */
const SHARE = 32;
const DECIMAL = 40;
const DECIMALS = 8;
const NAME = 48;

const LONGEST_NUMBER = 15;
/** Scores have as many places as a double has. */
const LONGEST_DECIMAL = 24;
const OF = /^\s?(?:(?:out )?of|\/|von|d[ei]|sur|из|共|件中)\s?\d/;
/** And what stands right behind it in one token: a unit of bytes, or a word of another script. */
const NUMBER = /^(\d+(?:[.,]\d+)*)(?:([kmgt])(?:i?b|i)?|[^\d-]*)$/;
/** Alone and small these letters are minutes, grams, tons. */
const NO_MULTIPLE = /\d[mgt]$/;
/** The name of a JSON field that ends in "id": its value counts nothing. */
const ID = /(?:^|["_-])id":$|[a-z]I[dD]":$/;

/** @param lower the text in lower case, in which the token was found */
export function numberToken(text: string, lower: string, { start, end, hash }: Token): NumberToken {
  const spelling = text.slice(start, end);
  const [, digits, multiple] = NUMBER.exec(lower.slice(start, end)) ?? [];
  const isIndex = text.charAt(start - 1) === "[" && text.charAt(end) === "]";
  if (digits === undefined || isIndex || isGlued(spelling, digits, multiple)) return nameToken(hash);
  if (text.charAt(start - 1) === ":" && ID.test(text.slice(Math.max(0, start - 6), start))) return nameToken(hash);
  const isWhole = !/[.,]/.test(digits);
  if (digits.length > (isWhole ? LONGEST_NUMBER : LONGEST_DECIMAL)) return nameToken(hash);
  const power = multiple === undefined ? 0 : "kmgt".indexOf(multiple) + 1;
  const number = Number(digits.replace(/[.,]/g, ""));
  if (isWhole) {
    const isPart = OF.test(lower.slice(start + digits.length, start + digits.length + 10));
    return written((isPart ? PART : 0) + (number % RESTS), sizeOf(number, power));
  }
  const mixed = hash ^ (hash >>> 15);
  if (digits.startsWith("0.")) return written(SHARE + (mixed & (DECIMALS - 1)), (mixed >>> 6) & 63);
  return written(DECIMAL + (number % DECIMALS), sizeOf(number, power));
}

/** Letters behind a number make a name of it, unless they are a unit of bytes, or of another script. */
function isGlued(spelling: string, digits: string, multiple: string | undefined): boolean {
  if (spelling.length === digits.length) return false;
  return NO_MULTIPLE.test(spelling) || (multiple === undefined && !/[^\0-\x7f]/.test(spelling));
}

function written(sort: number, bits: number): NumberToken {
  return ALPHABET.charAt(sort) + ALPHABET.charAt(bits);
}

export function nameToken(hash: number): NumberToken {
  const mixed = hash ^ (hash >>> 15);
  return written(NAME + (mixed & (RESTS - 1)), (mixed >>> 6) & 63);
}

/** Eight steps for each doubling, and round again after 256-fold. */
export const SIZES = 64;
const STEPS = 8;

function sizeOf(number: number, power = 0): number {
  return number < 1 ? 0 : Math.floor((Math.log2(number) + power * 10) * STEPS) % SIZES;
}

export interface NumberSlot {
  readonly sort: "whole" | "part" | "decimal";
  readonly rest: number;
  readonly rests: number;
  readonly size: number;
  /** Where the number is so small that no other is meant as a rule. */
  readonly exact: number | undefined;
}

/** Undefined for a share, and for what is no number. */
export function numberOf(token: NumberToken): NumberSlot | undefined {
  return NUMBERS[ALPHABET.indexOf(token.charAt(0)) * SIZES + ALPHABET.indexOf(token.charAt(1))];
}

function numberAt(code: number, size: number): NumberSlot | undefined {
  if (code >= SHARE && code < DECIMAL) return undefined;
  const sort = code >= DECIMAL ? "decimal" : code >= PART ? "part" : "whole";
  const rests = sort === "decimal" ? DECIMALS : RESTS;
  const rest = code % rests;
  return { sort, rest, rests, size, exact: EXACT.get(keyOf(rests, rest, size)) };
}

const keyOf = (rests: number, rest: number, size: number): number => (rests * RESTS + rest) * SIZES + size;
/** Numbers of one size that are so small have rests of their own: the least of each. */
const EXACT: ReadonlyMap<number, number> = new Map(
  [RESTS, DECIMALS].flatMap((rests) =>
    Array.from({ length: rests * 11 }, (_, n) => [keyOf(rests, n % rests, sizeOf(n)), n] as const).reverse(),
  ),
);

const NUMBERS: readonly (NumberSlot | undefined)[] = Array.from({ length: NAME * SIZES }, (_, i) =>
  numberAt(Math.floor(i / SIZES), i % SIZES),
);

export function hasSlot(slots: string, token: NumberToken): boolean {
  return placeOfCode(slots, token) >= 0;
}

export function withoutSlot(slots: string, token: NumberToken): string {
  const at = placeOfCode(slots, token);
  return at < 0 ? slots : slots.slice(0, at) + slots.slice(at + 2);
}

export function slotsIn(slots: string): readonly NumberToken[] {
  return Array.from({ length: slots.length / 2 }, (_, place) => slotAt(slots, place));
}

export function slotAt(slots: string, place: number): NumberToken {
  return place < 0 ? "" : slots.slice(2 * place, 2 * place + 2);
}

/** No number at all: an id, a date, a digest, an element's reference. */
export function isName(token: NumberToken): boolean {
  return ALPHABET.indexOf(token.charAt(0)) >= NAME;
}

export function isShare(token: NumberToken): boolean {
  const sort = ALPHABET.indexOf(token.charAt(0));
  return sort >= SHARE && sort < DECIMAL;
}
