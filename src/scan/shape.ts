import { HASH_SEED, hashText, hashUnit } from "../text/hash.ts";
import type { Sign } from "../text/sign.ts";
import { nameToken, numberToken, isName, isScore } from "./numbers.ts";
import { type Sketch, Sketcher } from "./sketch.ts";
import { cutText } from "../text/text-span.ts";
import { GAP, LONGEST_SAMPLE, lowerCase, Tokens } from "./tokens.ts";

/**
 * What is kept of a text when the text is gone: a sketch of its words, and apart from them its tokens with a digit in them (slots):
 * what a counter, an id or a time changes leaves the words as they are.
 */
export interface Likeness {
  readonly similarity: Sketch;
  /** Signature of the words, unit by unit (a line; in JSON a flat object; in markup an element); the units in no order. */
  readonly shape: string;
  /** The slots' codes, in order; of very many the first, all in between as one, and the last. */
  readonly slots: string;
  /** How many words there are beside the slots, names of JSON fields left out. */
  readonly words: number;
}

/** Of very many slots those in the middle are told by one code, which stands behind all others. */
export const ONE_BY_ONE = 24;
const MOST_COUNTED = 999;
const SLOT = 0x23;

export function likenessOf(text: string, isJson: boolean, sign: Sign, items?: ListedCells): Likeness {
  const sample = cutText(text, LONGEST_SAMPLE);
  const lower = lowerCase(sample);
  const unitEnd = isJson ? GAP.object : text.startsWith("<") ? GAP.element : GAP.line;
  const sketcher = new Sketcher();
  const shape = new Shape();
  let slots = "";
  let words = 0;
  const tokens = new Tokens(lower);
  while (tokens.next()) {
    if ((tokens.gap & unitEnd) !== 0) shape.endUnit();
    if ((tokens.gap & GAP.cell) !== 0) items?.end(sample);
    sketcher.add(lower, tokens);
    const slot = tokens.hasDigit ? numberToken(sample, lower, tokens) : undefined;
    items?.add(tokens, slot !== undefined && !isName(slot));
    const isSlot = slot !== undefined && !isScore(lower, tokens, slot);
    if (isSlot) slots += slot;
    else if (isJson && lower.startsWith('":', tokens.end)) items?.drop();
    else words += tokens.words();
    shape.add(isSlot ? SLOT : tokens.hash);
  }
  items?.end(sample);
  const counted = Math.min(words, MOST_COUNTED);
  return { similarity: sketcher.sketch(), shape: shape.signed(sign), slots: shortened(slots), words: counted };
}

/** Hashes of a text's units, 64 bits each, and of all of them their sum: whatever the order, it is the same. */
class Shape {
  #one = HASH_SEED;
  #other = 0;
  #sums = [0, 0, 0];

  add(hash: number): void {
    this.#one = hashUnit(this.#one, hash);
    this.#other = Math.imul(this.#other + hash, 0x85ebca6b) ^ (this.#one >>> 15);
  }

  endUnit(): void {
    if (this.#one === HASH_SEED) return;
    const [one = 0, other = 0, units = 0] = this.#sums;
    this.#sums = [(one + stirred(this.#one)) | 0, (other + stirred(this.#other)) | 0, units + 1];
    this.#one = HASH_SEED;
    this.#other = 0;
  }

  /** Compared within one thread alone: half a signature is enough. */
  signed(sign: Sign): string {
    this.endUnit();
    return sign(`shape\u0000${this.#sums.join()}`).slice(0, 8);
  }
}

const stirred = (hash: number): number => Math.imul(hash ^ (hash >>> 13), 0x9e3779b1);

/** Two characters are a slot: half of those that are told one by one stand in front, and half behind. */
function shortened(slots: string): string {
  if (slots.length <= 2 * ONE_BY_ONE) return slots;
  return (
    slots.slice(0, ONE_BY_ONE) + slots.slice(-ONE_BY_ONE) + nameToken(hashText(slots.slice(ONE_BY_ONE, -ONE_BY_ONE)))
  );
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
    add({ start, end }: Tokens, isNumber: boolean): void {
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
