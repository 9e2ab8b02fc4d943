import { codeUnits } from "./code-units.ts";
import { multipleAt } from "./unit.ts";

/**
 * Two characters for a token with a digit in it: what sort it is of, and enough to tell it from others. Of a number the rest of
 * a division and its size to a tenth, without how many times 256 that is: it shows whether numbers move, and which way. Of all
 * else some bits of its hash.
 */
export type NumberToken = string;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Rests of whole numbers, and after them those of whole numbers that a whole is told of: 3 of 12. */
const RESTS = 16;
const PART = 16;
/** Shares of one, such as how well a hit fits; then all other numbers with a point. */
const SHARE = 32;
const DECIMAL = 40;
const DECIMALS = 8;
const NAME = 48;

/** What a token with a digit is: a whole number, a number with a point, or anything else. */
export type NumberSort = "whole" | "decimal" | "name";

const LONGEST_NUMBER = 15;
/** Scores have as many places as a double has. */
const LONGEST_DECIMAL = 24;
const OF = /^\s?(?:of|\/|out of|von|de|di|sur|из|共|件中)\s?\d/;

/** A slot before it is written: which sort it is of, and six bits more. A text of log lines has hundreds. */
export type NumberBits = number;

/** Of the words above, those in ASCII. */
const PART_STARTS = Uint8Array.from({ length: 128 }, (_, code) =>
  "o/vdsODVS ".includes(String.fromCharCode(code)) ? 1 : 0,
);
const BLANK = 0x20;

interface SlotToken {
  readonly end: number;
  readonly numberEnd: number;
  readonly hash: number;
  readonly sort: NumberSort;
}

/** @param text whose units were read last */
export function slotOf(text: string, from: number, { end, numberEnd, hash, sort }: SlotToken): NumberBits {
  const mixed = hash ^ (hash >>> 15);
  // An element's index, as browser agents tell it.
  const isIndex = from > 0 && codeUnits[from - 1] === 0x5b && codeUnits[end] === 0x5d;
  if (isIndex || isId(text, from) || sort === "name") return nameSlot(hash);
  if (numberEnd - from > (sort === "decimal" ? LONGEST_DECIMAL : LONGEST_NUMBER)) return nameSlot(hash);
  if (sort === "decimal") {
    const isShare = codeUnits[from] === 0x30 && codeUnits[from + 1] === 0x2e;
    if (isShare) return bitsOf(SHARE + (mixed & (DECIMALS - 1)), mixed);
    const digits = digitsIn(from, numberEnd);
    return ((DECIMAL + (digits % DECIMALS)) << 6) | sizeOf(digits, multipleAt(numberEnd, end));
  }
  const number = digitsIn(from, numberEnd);
  const size = sizeOf(number, multipleAt(numberEnd, end));
  return (((isPart(text, numberEnd) ? PART : 0) + (number % RESTS)) << 6) | size;
}

/** Points and commas left out: what is told of one place has as many digits behind them each time. */
function digitsIn(from: number, end: number): number {
  let number = 0;
  for (let i = from; i < end; i++) {
    const digit = (codeUnits[i] ?? 0) - 0x30;
    if (digit >= 0 && digit <= 9) number = number * 10 + digit;
  }
  return number;
}

/** Eight steps for each doubling, and round again after 256-fold: no more is known of a number than its hash would tell. */
export const SIZES = 64;
const STEPS = 8;

function sizeOf(number: number, multiple = 0): number {
  return (multiple === 0 ? SMALL_SIZES[number] : undefined) ?? measured(number, multiple);
}

function measured(number: number, multiple: number): number {
  return number < 1 ? 0 : Math.floor((Math.log2(number) + multiple * 10) * STEPS) % SIZES;
}

/** Most numbers of a text are small, and a logarithm costs as much as all else that is done with one. */
const SMALL_SIZES = Uint8Array.from({ length: 1_024 }, (_, number) => measured(number, 0));

/** What a slot shows of a number. */
export interface NumberSlot {
  readonly sort: "whole" | "part" | "decimal";
  readonly rest: number;
  /** What `rest` is the rest of a division by. */
  readonly rests: number;
  readonly size: number;
  /** The number itself, where it is so small that no other is meant as a rule. */
  readonly exact: number | undefined;
}

/** Undefined for a share, and for what is no number. */
export function numberOf(slot: NumberToken): NumberSlot | undefined {
  const code = ALPHABET.indexOf(slot.charAt(0));
  const size = ALPHABET.indexOf(slot.charAt(1));
  if (code < 0 || code >= NAME || (code >= SHARE && code < DECIMAL)) return undefined;
  const sort = code >= DECIMAL ? "decimal" : code >= PART ? "part" : "whole";
  const rests = sort === "decimal" ? DECIMALS : RESTS;
  const rest = code % rests;
  return { sort, rest, rests, size, exact: exactly(rest, rests, size) };
}

/** Numbers of one size that are so small have rests of their own. */
function exactly(rest: number, rests: number, size: number): number | undefined {
  for (let number = rest; number < rests * 11; number += rests) if (sizeOf(number) === size) return number;
  return undefined;
}

export function nameSlot(hash: number): NumberBits {
  const mixed = hash ^ (hash >>> 15);
  return bitsOf(NAME + (mixed & (RESTS - 1)), mixed);
}

/** The value of a JSON field whose name ends in "id": a number that counts nothing. */
function isId(text: string, from: number): boolean {
  if (from < 3 || codeUnits[from - 1] !== 0x3a || codeUnits[from - 2] !== 0x22) return false;
  // An expression for each number of a table would cost more than the rest of it.
  if (((codeUnits[from - 3] ?? 0) | 0x20) !== 0x64) return false;
  return /(?:^|["_-])id"$|[a-z]I[dD]"$/.test(text.slice(Math.max(0, from - 6), from - 1));
}

const bitsOf = (sort: number, hash: number): NumberBits => (sort << 6) | ((hash >>> 6) & 63);

export function writtenSlot(bits: NumberBits): NumberToken {
  return ALPHABET.charAt(bits >>> 6) + ALPHABET.charAt(bits & 63);
}

/** A number of a whole is told by what stands right behind it. */
function isPart(text: string, end: number): boolean {
  const next = codeUnits[end] ?? 0;
  const second = next === BLANK ? (codeUnits[end + 1] ?? 0) : next;
  if (PART_STARTS[second] === 0) return false;
  return (next === BLANK || next === 0x2f || next >= 0x80) && OF.test(text.slice(end, end + 10));
}

export function slotsIn(slots: string): readonly NumberToken[] {
  const tokens: NumberToken[] = [];
  for (let i = 0; i < slots.length; i += 2) tokens.push(slots.slice(i, i + 2));
  return tokens;
}

/** No number at all: an id, a date, a digest, an element's reference. */
export function isName(slot: NumberToken): boolean {
  return ALPHABET.indexOf(slot.charAt(0)) >= NAME;
}

export function isShare(slot: NumberToken): boolean {
  const sort = ALPHABET.indexOf(slot.charAt(0));
  return sort >= SHARE && sort < DECIMAL;
}

/** The values of one place, one after the other, lead somewhere: in equal strides, or on a way of which the length is told. */
export function isOnItsWay(values: readonly NumberToken[]): boolean {
  const sorts = values.map((value) => ALPHABET.indexOf(value.charAt(0)));
  if (new Set(values).size < values.length || sorts.some((sort) => sort < 0 || sort >= SHARE)) return false;
  if (sorts.every((sort) => sort >= PART)) return true;
  const strides = sorts.slice(1).map((sort, i) => (sort - (sorts[i] ?? 0) + RESTS) % RESTS);
  return strides.length >= 2 && strides.every((one) => one === strides[0]);
}
