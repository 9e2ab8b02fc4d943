import { SMALL } from "./char-class.ts";
import type { ListedCells } from "./listed-cells.ts";
import { sketch, sketchOfScan } from "./scanned-text.ts";
import type { Sign } from "../text/sign.ts";
import type { Sketch } from "./sketch.ts";
import { nameSlot, type NumberBits, slotOf, writtenSlot } from "./number-token.ts";
import { LONGEST_TOKEN, readToken, type Token } from "./token.ts";
import { codeUnits, LONGEST_SAMPLE } from "./code-units.ts";
import {
  DIGIT,
  ELEMENT_END,
  ends,
  hashes,
  ITEM_END,
  LINE_END,
  MOST_WORDS,
  OBJECT_END,
  scanWords,
  SPACELESS,
  starts,
  traits,
} from "./word-scan.ts";
import { alternatives } from "../languages/languages.ts";

const SCORE =
  /^\s?(?:tests?\s)?(?:failed|passed|failing|passing|failures?|errors?|warnings?|problems?|issues?|violations?)\b/i;
const SCORED = new RegExp(String.raw`(?:${alternatives("tally")})["']?\s?[:=]\s?$`, "i");

/** By character: a set is asked several times as slowly. */
function codesOf(characters: string): Uint8Array {
  const codes = new Uint8Array(0x10000);
  for (const character of characters) codes[character.charCodeAt(0)] = 1;
  return codes;
}

const FIRST_LETTERS = codesOf("tfpewivTFPEWIV");
const LAST_LETTERS = codesOf("dgesrinкилеDGESRINКИ敗败패");
const MARKS = codesOf(" :=\"'");
const BLANK = 0x20;
const COLON = 0x3a;
const EQUALS = 0x3d;

/**
 * How many failed, how many passed: a number that says how far one has got, whatever else is told.
 * @param text whose units were read last
 */
function isScore(text: string, from: number, { end, sort }: Token): boolean {
  if (sort !== "whole") return false;
  // A colon or an equals sign, a blank between or none: what is counted may stand before its number.
  if (isMarked(from)) return endsScore(from) && SCORED.test(text.slice(Math.max(0, from - 24), from));
  // A blank, and then one of the letters that the words begin with.
  if (codeUnits[end] !== BLANK || FIRST_LETTERS[codeUnits[end + 1] ?? 0] !== 1) return false;
  return SCORE.test(text.slice(end, end + 20));
}

function isMarked(from: number): boolean {
  const before = from > 0 ? codeUnits[from - 1] : 0;
  return before === COLON || before === EQUALS || (before === BLANK && from > 1 && codeUnits[from - 2] === COLON);
}

/** The last letter before the mark: an expression for each number of a table would cost more than the rest of it. */
function endsScore(from: number): boolean {
  let at = from - 1;
  while (at > Math.max(0, from - 5) && MARKS[codeUnits[at] ?? 0] === 1) at--;
  return LAST_LETTERS[codeUnits[at] ?? 0] === 1;
}

/**
 * A text's words, and apart from them its tokens with a digit in them (slots): what a counter, an id or a time changes leaves
 * the words as they are. Holds no text.
 */
export interface Shape {
  /** Signature of the words, unit by unit (a line; in JSON a flat object); the units in no order. */
  readonly shape: string;
  /** The slots' codes, in order; of very many the first, all in between as one, and the last. */
  readonly slots: string;
  /** How many words there are beside the slots, names of JSON fields left out. */
  readonly words: number;
}

/** Of a longer text the words of head and tail are read, and the middle has to be the same. In characters. */
const SPAN = LONGEST_SAMPLE / 2;
const END_SLOTS = 8;
const MOST_COUNTED = 999;

/** Pictures, keys, digests: one token, whatever characters it is made of. */
const LEAST_ENCODED = 80;
const ENCODED = /[A-Za-z0-9+/=_-]{80,}/g;

/** What is kept of a text when the text is gone: its words' sketch and its shape. */
export interface Likeness extends Shape {
  readonly similarity: Sketch;
}

/** @param items takes the text's cells: what stands between line ends, commas, quotes, bars */
export function likenessOf(text: string, isJson: boolean, sign: Sign, items?: ListedCells): Likeness {
  const cut = text.length > 2 * SPAN ? `${text.slice(0, SPAN)} m${hashOf(text, SPAN)} ${text.slice(-SPAN)}` : text;
  const scan = scanWords(cut);
  const bits = hasEncoded(cut.length) ? cut.replace(ENCODED, nameOf) : cut;
  const { count } = bits === cut ? scan : scanWords(bits);
  const { units, slots, words } = read(bits, count, isJson, items);
  return {
    similarity: bits === text ? sketchOfScan(text, scan) : sketch(text),
    shape: signedUnits(units, sign),
    slots: joined(slots),
    words: Math.min(words, MOST_COUNTED),
  };
}

/** The shape alone, of a short text. */
export function shapeOf(text: string, isJson: boolean, sign: Sign): string {
  return signedUnits(read(text, scanWords(text).count, isJson, undefined).units, sign);
}

/** Compared within one thread alone: half a signature is enough. */
function signedUnits(units: number, sign: Sign): string {
  return sign(`shape\u0000${folded(unitHashes, units)},${folded(otherHashes, units)},${units}`).slice(0, 8);
}

/** Letters alone, so that it is a word: what it stands for must be equal. */
function hashOf(text: string, span: number): string {
  let hash = SEED;
  for (let i = span; i < text.length - span; i++) hash = mixed(hash, text.charCodeAt(i));
  return (hash >>> 0).toString(36).replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)] ?? "");
}

/** Letters, digits, `+`, `/`, `=`, `-`, `_`: by ASCII character. */
const IS_ENCODED = Uint8Array.from(SMALL, (small, code) =>
  small !== 0 || "+-/=".includes(String.fromCharCode(code)) ? 1 : 0,
);

/** So long a run covers one of the places that lie its least length apart. */
function hasEncoded(length: number): boolean {
  for (let i = LEAST_ENCODED - 1; i < length; i += LEAST_ENCODED) {
    if (!isEncoded(i)) continue;
    let [from, to] = [i, i + 1];
    while (from > i - LEAST_ENCODED && from > 0 && isEncoded(from - 1)) from--;
    while (to < i + LEAST_ENCODED && isEncoded(to)) to++;
    if (to - from >= LEAST_ENCODED) return true;
  }
  return false;
}

function isEncoded(i: number): boolean {
  const unit = codeUnits[i] ?? 0;
  return unit < 0x80 && IS_ENCODED[unit] === 1;
}

function nameOf(encoded: string): string {
  let hash = SEED;
  for (let i = 0; i < encoded.length; i++) hash = mixed(hash, encoded.charCodeAt(i));
  return `0x${(hash >>> 0).toString(36)}`;
}

// FNV-1a
const SEED = 0x811c9dc5 | 0;
const mixed = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
/** For the other half of 64 bits. */
const stirred = (hash: number, unit: number): number => Math.imul(hash + unit, 0x85ebca6b) ^ (hash >>> 15);
/** What stands in the words for a slot. */
const SLOT = 0x23;

/** Hashes of a text's units, and their other halves: each unit has a word. Nothing stays here from one call to the next. */
const unitHashes = new Int32Array(MOST_WORDS);
const otherHashes = new Int32Array(MOST_WORDS);

// Constants of a module's own cost nothing to look up, where imported ones do at each access.
const [ownUnits, ownStarts, ownEnds, ownHashes, ownTraits] = [codeUnits, starts, ends, hashes, traits];

const HYPHEN = 0x2d;
/** A digit, or a script without spaces. */
const NOT_PLAIN = DIGIT | SPACELESS;

interface Parts {
  readonly units: number;
  readonly slots: readonly NumberBits[];
  readonly words: number;
}

/** One look at each word: this is done for every call and every result. */
function read(text: string, count: number, isJson: boolean, items: ListedCells | undefined): Parts {
  const slots: NumberBits[] = [];
  const unitEnds = unitEndsIn(text, isJson);
  let units = 0;
  let unit = SEED;
  let other = 0;
  let words = 0;
  const token: Token = { end: 0, numberEnd: 0, hash: 0, sort: "name", hasDigit: false, isUnspaced: false };
  for (let word = 0; word < count; word++) {
    const start = ownStarts[word] ?? 0;
    const end = ownEnds[word] ?? 0;
    const kind = ownTraits[word] ?? 0;
    const before = start > token.end ? kind : 0;
    if ((before & unitEnds) !== 0 && unit !== SEED) {
      unitHashes[units] = unit;
      otherHashes[units++] = other;
      unit = SEED;
      other = 0;
    }
    if ((before & ITEM_END) !== 0) items?.end(text);
    // Most words are letters alone, with no other joined to them.
    if ((kind & NOT_PLAIN) === 0 && start >= token.end && end - start < LONGEST_TOKEN && ownUnits[end] !== HYPHEN) {
      const hash = ownHashes[word] ?? 0;
      token.end = end;
      token.hash = hash;
      token.sort = "name";
      items?.add(token, start);
      if (isJson && isField(end)) items?.drop();
      else words++;
      unit = mixed(unit, hash);
      other = stirred(other, hash);
      continue;
    }
    // A token may be several words, and a very long word several tokens.
    while (token.end < end) {
      const begin = Math.max(start, token.end);
      readToken(begin, word, token);
      const isSlot = token.hasDigit && !isScore(text, begin, token);
      items?.add(token, begin);
      if (isSlot) slots.push(slotOf(text, begin, token));
      else if (isJson && isField(token.end)) items?.drop();
      else words += token.isUnspaced ? Math.ceil((token.end - begin) / 2) : 1;
      const hash = isSlot ? SLOT : token.hash;
      unit = mixed(unit, hash);
      other = stirred(other, hash);
    }
  }
  items?.end(text);
  unitHashes[units] = unit;
  otherHashes[units] = other;
  return { units: unit === SEED ? units : units + 1, slots, words };
}

/** What ends a unit beside the end of a line: objects and lists in JSON, elements in markup. */
function unitEndsIn(text: string, isJson: boolean): number {
  if (isJson) return LINE_END | OBJECT_END;
  return text.charCodeAt(0) === 0x3c ? LINE_END | ELEMENT_END : LINE_END;
}

/** The name of a JSON field ends here. */
function isField(end: number): boolean {
  return ownUnits[end] === 0x22 && ownUnits[end + 1] === 0x3a;
}

/** The first of them, in no order. */
function folded(hashes: Int32Array, count: number): number {
  let all = SEED;
  for (const hash of hashes.subarray(0, count).sort()) all = mixed(all, hash ^ (hash >>> 13));
  return all;
}

function joined(slots: readonly NumberBits[]): string {
  if (slots.length <= 2 * END_SLOTS) return slots.map(writtenSlot).join("");
  let hash = SEED;
  for (let i = END_SLOTS; i < slots.length - END_SLOTS; i++) hash = mixed(hash, slots[i] ?? 0);
  const ends = [...slots.slice(0, END_SLOTS), ...slots.slice(-END_SLOTS), nameSlot(hash)];
  return ends.map(writtenSlot).join("");
}
