import { alternatives } from "../languages/languages.ts";
import { HASH_SEED, hashText, hashUnit } from "../text/hash.ts";
import type { Sign } from "../text/sign.ts";
import { nameToken, numberToken, isName, type NumberToken } from "./numbers.ts";
import { LONGEST_SAMPLE, type Sketch, Sketcher } from "./sketch.ts";
import { eachToken, lowerCase, type Token, wordsOf } from "./tokens.ts";

/**
 * What is kept of a text when the text is gone: a sketch of its words, and apart from them its tokens with a digit in them (slots):
 * what a counter, an id or a time changes leaves the words as they are.
 */
export interface Likeness {
  readonly similarity: Sketch;
  /** Signature of the words, unit by unit (a line; in JSON a flat object); the units in no order. */
  readonly shape: string;
  /** The slots' codes, in order; of very many the first, all in between as one, and the last. */
  readonly slots: string;
  /** How many words there are beside the slots, names of JSON fields left out. */
  readonly words: number;
}

/** Of very many slots those in the middle are told by one code, which stands behind all others. */
export const ONE_BY_ONE = 24;
const END_SLOTS = ONE_BY_ONE / 2;
const MOST_COUNTED = 999;
/** Pictures, keys, digests: one token, whatever characters it is made of; looked for where a run begins, not at each character of it. */
const ENCODED = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/=_-]{80,}/g;

export function likenessOf(text: string, isJson: boolean, sign: Sign, items?: ListedCells): Likeness {
  const sketcher = new Sketcher();
  const { units, slots, words } = read(sampleOf(text), isJson, sketcher, items);
  const shape = signed(units, sign);
  return { similarity: sketcher.sketch(), shape, slots: joined(slots), words: Math.min(words, MOST_COUNTED) };
}

export function shapeOf(text: string, isJson: boolean, sign: Sign): string {
  return signed(read(text, isJson).units, sign);
}

/** Of a longer text the words of head and tail are read, and the middle has to be the same. */
function sampleOf(text: string): string {
  const half = LONGEST_SAMPLE / 2;
  const sample =
    text.length > LONGEST_SAMPLE
      ? `${text.slice(0, half)} m${inLetters(text.slice(half, -half))} ${text.slice(-half)}`
      : text;
  return sample.replace(ENCODED, (run) => `0x${(hashText(run) >>> 0).toString(36)}`);
}

/** A text's hash as a word, and not a slot. */
const inLetters = (text: string): string =>
  (hashText(text) >>> 0).toString(36).replace(/\d/g, (digit) => "ghijklmnop".charAt(Number(digit)));

/** Compared within one thread alone: half a signature is enough. */
function signed(units: readonly UnitHash[], sign: Sign): string {
  const [one, other] = [0, 1].map((half) =>
    units
      .map((unit) => unit[half] ?? 0)
      .sort((a, b) => a - b)
      .reduce(mixed, HASH_SEED),
  );
  return sign(`shape\u0000${one},${other},${units.length}`).slice(0, 8);
}

type UnitHash = readonly [number, number];

const mixed = (hash: number, unit: number): number => hashUnit(hash, unit ^ (unit >>> 13));
const stirred = (hash: number, unit: number): number => Math.imul(hash + unit, 0x85ebca6b) ^ (hash >>> 15);
const SLOT = 0x23;

/** Objects and lists in JSON, elements in markup are units, too. */
const [LINE_END, JSON_END, MARKUP_END, CELL_END] = ["\n", "\n{}[]", "\n<", "\n\t\"',;|[]{}<>"];

function read(text: string, isJson: boolean, sketcher?: Sketcher, items?: ListedCells) {
  const lower = lowerCase(text);
  const unitEnd = isJson ? JSON_END : text.startsWith("<") ? MARKUP_END : LINE_END;
  const units: UnitHash[] = [];
  const slots: NumberToken[] = [];
  let one = HASH_SEED;
  let other = 0;
  let words = 0;
  let last = 0;
  const endUnit = (): void => {
    if (one !== HASH_SEED) units.push([one, other]);
    one = HASH_SEED;
    other = 0;
  };
  eachToken(lower, (token) => {
    if (hasOne(unitEnd, text, last, token.start)) endUnit();
    if (items !== undefined && hasOne(CELL_END, text, last, token.start)) items.end(text);
    last = token.end;
    sketcher?.add(lower, token);
    const slot = token.hasDigit ? numberToken(text, lower, token) : undefined;
    items?.add(token.start, token.end, slot !== undefined && !isName(slot));
    const isSlot = slot !== undefined && !isScore(lower, token, slot);
    if (isSlot) slots.push(slot);
    else if (isJson && text.startsWith('":', token.end)) items?.drop();
    else words += wordsOf(token);
    const hash = isSlot ? SLOT : token.hash;
    one = hashUnit(one, hash);
    other = stirred(other, hash);
  });
  items?.end(text);
  endUnit();
  return { units, slots, words };
}

function hasOne(marks: string, text: string, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (text[at] !== " " && marks.includes(text.charAt(at))) return true;
  return false;
}

const SCORE =
  /^\s?(?:tests?\s)?(?:fail(?:ed|ing|ures?)|pass(?:ed|ing)|errors?|warnings?|problems?|issues?|violations?)\b/;
const SCORED = new RegExp(String.raw`(?:${alternatives("tally")})["']?\s?[:=]\s?$`, "i");

function isScore(lower: string, { start, end }: Token, slot: NumberToken): boolean {
  if (isName(slot) || /[.,]/.test(lower.slice(start, end))) return false;
  if (SCORE.test(lower.slice(end, end + 20))) return true;
  return (
    /[:=]\s?$/.test(lower.slice(Math.max(0, start - 2), start)) &&
    SCORED.test(lower.slice(Math.max(0, start - 24), start))
  );
}

function joined(slots: readonly NumberToken[]): string {
  if (slots.length <= ONE_BY_ONE) return slots.join("");
  const middle = hashText(slots.slice(END_SLOTS, -END_SLOTS).join(""));
  return [...slots.slice(0, END_SLOTS), ...slots.slice(-END_SLOTS), nameToken(middle)].join("");
}

const LEAST_DIGITS = 4;
const MOST_TOKENS = 8;

export type ListedCells = ReturnType<typeof listedCells>;

/** What a text lists between line ends, commas, quotes and bars; filled token by token. @param most cells that are kept */
export function listedCells(most: number) {
  const cells = new Set<string>();
  let [first, last, tokens, isItem] = [0, 0, 0, false];
  const drop = (): void => {
    [tokens, isItem] = [0, false];
  };
  return {
    cells,
    /** A bare number of few digits is a count or a page more often than an item. */
    add(start: number, end: number, isNumber: boolean): void {
      if (tokens++ === 0) first = start;
      last = end;
      isItem ||= !isNumber || end - start >= LEAST_DIGITS;
    },
    end(text: string): void {
      if (isItem && tokens <= MOST_TOKENS && cells.size < most) cells.add(text.slice(first, last));
      drop();
    },
    drop,
  };
}
