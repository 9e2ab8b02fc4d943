import { type CharClass, GAP, letterAt, UNSPACED } from "./char-class.ts";
import type { Sign } from "./sign.ts";
import { type Slot, slotOf } from "./slot.ts";

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
const ENCODED = /[A-Za-z0-9+/=_-]{80,}/g;
const LONGEST_TOKEN = 128;

export function shapeOf(text: string, isJson: boolean, sign: Sign): Shape {
  const cut = text.length > 2 * SPAN ? `${text.slice(0, SPAN)} m${hashOf(text, SPAN)} ${text.slice(-SPAN)}` : text;
  const reader = new ShapeReader(cut.length < 80 ? cut : cut.replace(ENCODED, nameOf), isJson);
  reader.read();
  return reader.shape(sign);
}

/** Letters alone, so that it is a word: what it stands for must be equal. */
function hashOf(text: string, span: number): string {
  let hash = SEED;
  for (let i = span; i < text.length - span; i++) hash = mixed(hash, text.charCodeAt(i));
  return (hash >>> 0).toString(36).replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)] ?? "");
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

class ShapeReader {
  readonly #text: string;
  readonly #isJson: boolean;
  readonly #units: number[] = [];
  readonly #others: number[] = [];
  readonly #slots: Slot[] = [];
  #unit = SEED;
  #other = 0;
  #isFilled = false;
  #words = 0;

  constructor(text: string, isJson: boolean) {
    this.#text = text;
    this.#isJson = isJson;
  }

  read(): void {
    const text = this.#text;
    for (let i = 0; i < text.length; ) {
      const sort = letterAt(text, i);
      if (sort !== GAP) i = this.#readToken(i);
      else {
        if (this.#endsUnit(text.charCodeAt(i))) this.#endUnit();
        i++;
      }
    }
    this.#endUnit();
  }

  shape(sign: Sign): Shape {
    const units = `${folded(this.#units)},${folded(this.#others)},${this.#units.length}`;
    return {
      // Compared within one thread alone: half a signature is enough.
      shape: sign(`shape\u0000${units}`).slice(0, 8),
      slots: joined(this.#slots),
      words: Math.min(this.#words, MOST_WORDS),
    };
  }

  #endsUnit(code: number): boolean {
    return code === 0x0a || (this.#isJson && (code === 0x7b || code === 0x7d || code === 0x5b || code === 0x5d));
  }

  #endUnit(): void {
    if (!this.#isFilled) return;
    this.#units.push(this.#unit);
    this.#others.push(this.#other);
    this.#unit = SEED;
    this.#other = 0;
    this.#isFilled = false;
  }

  #readToken(from: number): number {
    const text = this.#text;
    let hash = SEED;
    let hasDigit = false;
    let isUnspaced = false;
    let i = from;
    for (; i < text.length && i - from < LONGEST_TOKEN; i++) {
      const code = text.charCodeAt(i);
      const sort: CharClass = letterAt(text, i);
      if (sort === GAP && !joins(text, i, code)) break;
      if (sort === UNSPACED) isUnspaced = true;
      if (isDigit(code)) hasDigit = true;
      hash = mixed(hash, code >= 0x41 && code <= 0x5a ? code + 0x20 : code);
    }
    const isSlot = hasDigit && !isScore(text, from, i);
    if (isSlot) this.#slots.push(slotOf(text, from, i, hash));
    else if (!this.#isField(i)) this.#words += isUnspaced ? Math.ceil((i - from) / 2) : 1;
    const token = isSlot ? SLOT : hash;
    this.#unit = mixed(this.#unit, token);
    this.#other = stirred(this.#other, token);
    this.#isFilled = true;
    return i;
  }

  /** The name of a JSON field ends here. */
  #isField(end: number): boolean {
    return this.#isJson && this.#text.charCodeAt(end) === 0x22 && this.#text.charCodeAt(end + 1) === 0x3a;
  }
}

/** A hyphen inside a name, a point or a comma inside a number. */
function joins(text: string, i: number, code: number): boolean {
  if (code === 0x2d) return i + 1 < text.length && letterAt(text, i + 1) !== GAP;
  return (code === 0x2e || code === 0x2c) && isDigit(text.charCodeAt(i - 1)) && isDigit(text.charCodeAt(i + 1));
}

const SCORE =
  /^\s?(?:tests?\s)?(?:failed|passed|failing|passing|failures?|errors?|warnings?|problems?|issues?|violations?)\b/i;

/** How many failed, how many passed: a number that says how far one has got, whatever else is told. */
function isScore(text: string, from: number, to: number): boolean {
  return to - from <= 6 && SCORE.test(text.slice(to, to + 20)) && /^\d+$/.test(text.slice(from, to));
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function folded(hashes: number[]): number {
  hashes.sort((a, b) => a - b);
  let all = SEED;
  for (const hash of hashes) all = mixed(all, hash ^ (hash >>> 13));
  return all;
}

function joined(slots: readonly Slot[]): string {
  if (slots.length <= 2 * END_SLOTS) return slots.join("");
  const middle = slots.slice(END_SLOTS, -END_SLOTS).join("");
  let hash = SEED;
  for (let i = 0; i < middle.length; i++) hash = mixed(hash, middle.charCodeAt(i));
  const code = slotOf("x", 0, 1, hash);
  return [...slots.slice(0, END_SLOTS), ...slots.slice(-END_SLOTS), code].join("");
}
