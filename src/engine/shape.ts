import { GAP, letterAt, SMALL, UNSPACED } from "./char-class.ts";
import type { Sign } from "./sign.ts";
import type { ItemCodes } from "./item-codes.ts";
import { type NumberSort, nameSlot, type SlotBits, slotOf, writtenSlot } from "./slot.ts";

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
const SPAN = 8_192;
const END_SLOTS = 8;
const MOST_WORDS = 999;

/** Pictures, keys, digests: one token, whatever characters it is made of. */
const LEAST_ENCODED = 80;
const ENCODED = /[A-Za-z0-9+/=_-]{80,}/g;

const LONGEST_TOKEN = 128;

/** @param items takes the text's cells: what stands between line ends, commas, quotes, bars */
export function shapeOf(text: string, isJson: boolean, sign: Sign, items?: ItemCodes): Shape {
  const cut = text.length > 2 * SPAN ? `${text.slice(0, SPAN)} m${hashOf(text, SPAN)} ${text.slice(-SPAN)}` : text;
  const { units, others, slots, words } = read(hasEncoded(cut) ? cut.replace(ENCODED, nameOf) : cut, isJson, items);
  return {
    // Compared within one thread alone: half a signature is enough.
    shape: sign(`shape\u0000${folded(units)},${folded(others)},${units.length}`).slice(0, 8),
    slots: joined(slots),
    words: Math.min(words, MOST_WORDS),
  };
}

/** Letters alone, so that it is a word: what it stands for must be equal. */
function hashOf(text: string, span: number): string {
  let hash = SEED;
  for (let i = span; i < text.length - span; i++) hash = mixed(hash, text.charCodeAt(i));
  return (hash >>> 0).toString(36).replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)] ?? "");
}

/** So long a run covers one of the places that lie its least length apart. */
function hasEncoded(text: string): boolean {
  for (let i = LEAST_ENCODED - 1; i < text.length; i += LEAST_ENCODED) {
    if (!isEncoded(text.charCodeAt(i))) continue;
    let [from, to] = [i, i + 1];
    while (from > i - LEAST_ENCODED && isEncoded(text.charCodeAt(from - 1))) from--;
    while (to < i + LEAST_ENCODED && isEncoded(text.charCodeAt(to))) to++;
    if (to - from >= LEAST_ENCODED) return true;
  }
  return false;
}

/** Letters, digits, `+`, `/`, `=`, `-`, `_`. */
function isEncoded(code: number): boolean {
  return code < 0x80 && (SMALL[code] !== 0 || code === 0x2b || code === 0x2d || code === 0x2f || code === 0x3d);
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

interface Parts {
  readonly units: number[];
  readonly others: number[];
  readonly slots: readonly SlotBits[];
  readonly words: number;
}

/** One look at each character: this is done for every call and every result. */
function read(text: string, isJson: boolean, items: ItemCodes | undefined): Parts {
  const [units, others, slots]: [number[], number[], SlotBits[]] = [[], [], []];
  const ends = unitEndsIn(text, isJson);
  let unit = SEED;
  let other = 0;
  let words = 0;
  const token: Token = { end: 0, numberEnd: 0, hash: 0, sort: "name", hasDigit: false, isUnspaced: false };
  for (let i = 0; i < text.length; ) {
    if (isGap(text, i)) {
      const code = text.charCodeAt(i);
      if (unit !== SEED && endsUnit(code, ends)) {
        units.push(unit);
        others.push(other);
        unit = SEED;
        other = 0;
      }
      items?.endAt(code);
      i++;
      continue;
    }
    readToken(text, i, token);
    const isSlot = token.hasDigit && !isScore(text, i, token);
    items?.add(token, i);
    if (isSlot) slots.push(slotOf(text, i, token));
    else if (isJson && isField(text, token.end)) items?.drop();
    else words += token.isUnspaced ? Math.ceil((token.end - i) / 2) : 1;
    const read = isSlot ? SLOT : token.hash;
    unit = mixed(unit, read);
    other = stirred(other, read);
    i = token.end;
  }
  items?.endAt(NEW_LINE);
  if (unit !== SEED) {
    units.push(unit);
    others.push(other);
  }
  return { units, others, slots, words };
}

function isGap(text: string, i: number): boolean {
  const code = text.charCodeAt(i);
  return code < 0x80 ? SMALL[code] === 0 : letterAt(text, i) === GAP;
}

const NEW_LINE = 0x0a;
/** What ends a unit beside the end of a line: objects and lists in JSON, elements in markup. */
type UnitEnds = "lines" | "objects" | "elements";

function unitEndsIn(text: string, isJson: boolean): UnitEnds {
  if (isJson) return "objects";
  return text.charCodeAt(0) === 0x3c ? "elements" : "lines";
}

function endsUnit(code: number, ends: UnitEnds): boolean {
  if (code === NEW_LINE) return true;
  if (ends === "objects") return code === 0x7b || code === 0x7d || code === 0x5b || code === 0x5d;
  return ends === "elements" && code === 0x3c;
}

/** One for all tokens of a text: an object for each would cost as much as reading it. */
export interface Token {
  end: number;
  /** Where its number ends: scripts without blanks put what is counted right behind it. */
  numberEnd: number;
  hash: number;
  sort: NumberSort;
  hasDigit: boolean;
  isUnspaced: boolean;
}

function readToken(text: string, from: number, token: Token): void {
  let hash = SEED;
  let digits = 0;
  let letters = 0;
  let leading = 0;
  token.isUnspaced = false;
  let i = from;
  for (; i < text.length && i - from < LONGEST_TOKEN; i++) {
    const code = text.charCodeAt(i);
    let small = code;
    if (code < 0x80) small = SMALL[code] ?? 0;
    else {
      const letter = letterAt(text, i);
      if (letter === GAP) small = 0;
      else if (letter === UNSPACED) token.isUnspaced = true;
    }
    if (small === 0 && !joins(text, i, code)) break;
    if (small >= 0x30 && small <= 0x39) digits++;
    else if (small !== 0 || code === 0x2d) letters++;
    if (letters === 0) leading = digits;
    hash = mixed(hash, small === 0 ? code : small);
  }
  token.end = i;
  token.hash = hash;
  token.hasDigit = digits > 0;
  const counts = token.isUnspaced && leading > 0 && leading === digits;
  token.numberEnd = counts ? from + leading : i;
  token.sort = counts ? "whole" : letters > 0 ? "name" : digits === i - from ? "whole" : "decimal";
}

/** A hyphen inside a name, a point or a comma inside a number. */
function joins(text: string, i: number, code: number): boolean {
  if (code === 0x2d) return i + 1 < text.length && !isGap(text, i + 1);
  return (code === 0x2e || code === 0x2c) && isDigit(text.charCodeAt(i - 1)) && isDigit(text.charCodeAt(i + 1));
}

/** The name of a JSON field ends here. */
function isField(text: string, end: number): boolean {
  return text.charCodeAt(end) === 0x22 && text.charCodeAt(end + 1) === 0x3a;
}

const SCORE =
  /^\s?(?:tests?\s)?(?:failed|passed|failing|passing|failures?|errors?|warnings?|problems?|issues?|violations?)\b/i;

/** The last letter before the mark: an expression for each number of a table would cost more than the rest of it. */
function endsScore(text: string, from: number): boolean {
  let at = from - 1;
  while (at > from - 5 && " :=\"'".includes(text.charAt(at))) at--;
  return "dgesrinкилеDGESRINКИ敗败패".includes(text.charAt(at));
}

const SCORED =
  /(?:failed|passed|failing|passing|failures?|errors?|warnings?|violations?|fallos|fallas|errores|falhas|erros|échecs|erreurs|errori|fehler|fehlgeschlagen|ошибок|ошибки|失敗|失败|실패)["']?\s?[:=]\s?$/i;

/** How many failed, how many passed: a number that says how far one has got, whatever else is told. */
function isScore(text: string, from: number, { end, sort }: Token): boolean {
  if (sort !== "whole") return false;
  const before = text.charCodeAt(from - 1);
  // A colon or an equals sign, a blank between or none: what is counted may stand before its number.
  if (before === 0x3a || before === 0x3d || (before === 0x20 && text.charCodeAt(from - 2) === 0x3a))
    return endsScore(text, from) && SCORED.test(text.slice(Math.max(0, from - 24), from));
  // A blank, and then one of the letters that the words begin with.
  if (text.charCodeAt(end) !== 0x20 || !"tfpewivTFPEWIV".includes(text.charAt(end + 1))) return false;
  return SCORE.test(text.slice(end, end + 20));
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function folded(hashes: number[]): number {
  hashes.sort((a, b) => a - b);
  let all = SEED;
  for (const hash of hashes) all = mixed(all, hash ^ (hash >>> 13));
  return all;
}

function joined(slots: readonly SlotBits[]): string {
  if (slots.length <= 2 * END_SLOTS) return slots.map(writtenSlot).join("");
  let hash = SEED;
  for (let i = END_SLOTS; i < slots.length - END_SLOTS; i++) hash = mixed(hash, slots[i] ?? 0);
  const ends = [...slots.slice(0, END_SLOTS), ...slots.slice(-END_SLOTS), nameSlot(hash)];
  return ends.map(writtenSlot).join("");
}
