import { alternatives } from "../languages/languages.ts";
import { ALPHABET, placeOfCode } from "../text/codes.ts";
import { isDigit, type Tokens } from "./tokens.ts";

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
const OF = /\s?(?:(?:out )?of|\/|von|d[ei]|sur|из|共|件中)\s?\d/y;
/** Behind a number these are bytes, but for `m`, `g` and `t`, which are minutes, grams and tons; other letters make a name of it. */
const BYTES = /^(?![mgt]$)([KMGTkmgt])(?:[Ii]?[Bb]|[Ii])?$/;
/** The name of a JSON field that ends in "id": its value counts nothing. */
const ID = /(?<=(?:^|["_-])id":|[a-z]I[dD]":)/y;

/** @param lower the text in lower case, in which the token was found */
export function numberToken(text: string, lower: string, { start, end, hash }: Tokens): NumberToken {
  let [at, number, isWhole] = [start, 0, true];
  for (; at < end; at++) {
    const unit = lower.charCodeAt(at);
    if (isDigit(unit)) number = number * 10 + unit - 0x30;
    else if (unit === 0x2c || unit === 0x2e) isWhole = false;
    else break;
  }
  const isIndex = text.charAt(start - 1) === "[" && text.charAt(end) === "]";
  if (isIndex || at === start || at - start > (isWhole ? LONGEST_NUMBER : LONGEST_DECIMAL) || matches(ID, text, start))
    return nameToken(hash);
  const behind = at < end && lower.charCodeAt(at) < 0x80 ? BYTES.exec(text.slice(at, end)) : [];
  if (behind === null) return nameToken(hash);
  const power = "kmgt".indexOf(behind[1]?.toLowerCase() ?? " ") + 1;
  if (isWhole) return written((matches(OF, lower, at) ? PART : 0) + (number % RESTS), sizeOf(number, power));
  const mixed = hash ^ (hash >>> 15);
  if (lower.startsWith("0.", start)) return written(SHARE + (mixed & (DECIMALS - 1)), (mixed >>> 6) & 63);
  return written(DECIMAL + (number % DECIMALS), sizeOf(number, power));
}

const SCORE =
  /\s?(?:tests?\s)?(?:fail(?:ed|ing|ures?)|pass(?:ed|ing)|errors?|warnings?|problems?|issues?|violations?)\b/y;
const SCORED = new RegExp(String.raw`(?<=(?:${alternatives("tally")})["']?\s?[:=]\s?)`, "uy");

/** A whole number of failures, tests or faults: it is what a text says, and no place for numbers. */
export function isScore(lower: string, { start, end }: Tokens, slot: NumberToken): boolean {
  return sortOf(slot) < SHARE && (matches(SCORE, lower, end) || matches(SCORED, lower, start));
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function written(sort: number, bits: number): NumberToken {
  return ALPHABET.charAt(sort) + ALPHABET.charAt(bits);
}

const sortOf = (token: NumberToken): number => ALPHABET.indexOf(token.charAt(0));

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

/** Numbers of one size that are so small have rests of their own: the least of each. */
const EXACT = new Map<NumberToken, number>();
for (const [sort, rests] of [[0, RESTS] as const, [PART, RESTS] as const, [DECIMAL, DECIMALS] as const])
  for (let n = rests * 11 - 1; n >= 0; n--) EXACT.set(written(sort + (n % rests), sizeOf(n)), n);

/** Undefined for a share, and for what is no number. */
export function numberOf(token: NumberToken): NumberSlot | undefined {
  if (token === "" || isName(token) || isShare(token)) return undefined;
  const code = sortOf(token);
  const sort = code >= DECIMAL ? "decimal" : code >= PART ? "part" : "whole";
  const rests = sort === "decimal" ? DECIMALS : RESTS;
  return { sort, rest: code % rests, rests, size: ALPHABET.indexOf(token.charAt(1)), exact: EXACT.get(token) };
}

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
  return sortOf(token) >= NAME;
}

export function isShare(token: NumberToken): boolean {
  const sort = sortOf(token);
  return sort >= SHARE && sort < DECIMAL;
}
