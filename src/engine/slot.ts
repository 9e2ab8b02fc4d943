import { codeUnits } from "./code-units.ts";

/**
 * Two characters for a token with a digit in it: what sort it is of, and enough of its hash to tell it from others. Of whole
 * numbers the rest of a division by 16, so that it shows by how much they move and nothing of what they are.
 */
export type Slot = string;

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

/** A slot before it is written: which sort it is of, and six bits of its hash. A text of log lines has hundreds. */
export type SlotBits = number;

/** Of the words above, those in ASCII. */
const PART_STARTS = new Set(Array.from("o/vdsODVS ", (letter) => letter.charCodeAt(0)));
const BLANK = 0x20;

interface SlotToken {
  readonly end: number;
  readonly numberEnd: number;
  readonly hash: number;
  readonly sort: NumberSort;
}

/** @param text whose units were read last */
export function slotOf(text: string, from: number, { end, numberEnd, hash, sort }: SlotToken): SlotBits {
  const mixed = hash ^ (hash >>> 15);
  // An element's index, as browser agents tell it.
  const isIndex = from > 0 && codeUnits[from - 1] === 0x5b && codeUnits[end] === 0x5d;
  if (isIndex || isId(text, from) || sort === "name") return nameSlot(hash);
  if (end - from > (sort === "decimal" ? LONGEST_DECIMAL : LONGEST_NUMBER)) return nameSlot(hash);
  if (sort === "decimal") {
    const isShare = codeUnits[from] === 0x30 && codeUnits[from + 1] === 0x2e;
    return bitsOf((isShare ? SHARE : DECIMAL) + (mixed & (DECIMALS - 1)), mixed);
  }
  let rest = 0;
  for (let i = Math.max(from, numberEnd - 4); i < numberEnd; i++) rest = rest * 10 + (codeUnits[i] ?? 0) - 0x30;
  rest %= RESTS;
  return bitsOf((isPart(text, numberEnd) ? PART : 0) + rest, mixed);
}

export function nameSlot(hash: number): SlotBits {
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

const bitsOf = (sort: number, hash: number): SlotBits => (sort << 6) | ((hash >>> 6) & 63);

export function writtenSlot(bits: SlotBits): Slot {
  return ALPHABET.charAt(bits >>> 6) + ALPHABET.charAt(bits & 63);
}

/** A number of a whole is told by what stands right behind it. */
function isPart(text: string, end: number): boolean {
  const next = codeUnits[end] ?? 0;
  const second = next === BLANK ? (codeUnits[end + 1] ?? 0) : next;
  if (second < 0x80 && !PART_STARTS.has(second)) return false;
  return (next === BLANK || next === 0x2f || next >= 0x80) && OF.test(text.slice(end, end + 10));
}

export function slotsIn(slots: string): readonly Slot[] {
  const found: Slot[] = [];
  for (let i = 0; i < slots.length; i += 2) found.push(slots.slice(i, i + 2));
  return found;
}

/** No number at all: an id, a date, a digest, an element's reference. */
export function isName(slot: Slot): boolean {
  return ALPHABET.indexOf(slot.charAt(0)) >= NAME;
}

export function isShare(slot: Slot): boolean {
  const sort = ALPHABET.indexOf(slot.charAt(0));
  return sort >= SHARE && sort < DECIMAL;
}

/**
 * The values of one place, one after the other, lead somewhere: in equal strides, or on a way of which the length is told.
 * @param way `told`: only the latter, for a counter somewhere in a long text moves as it likes; `by any stride`: also by one
 * each time, which counts the calls where they are not made for it
 */
export function isOnItsWay(values: readonly Slot[], way: "any" | "told" | "by any stride" = "any"): boolean {
  const sorts = values.map((value) => ALPHABET.indexOf(value.charAt(0)));
  if (new Set(values).size < values.length || sorts.some((sort) => sort < 0 || sort >= SHARE)) return false;
  if (sorts.every((sort) => sort >= PART)) return true;
  if (way === "told") return false;
  const strides = sorts.slice(1).map((sort, i) => (sort - (sorts[i] ?? 0) + RESTS) % RESTS);
  const [stride] = strides;
  // What moves by one each time counts the calls.
  return strides.length >= 2 && (stride !== 1 || way === "by any stride") && strides.every((one) => one === stride);
}
