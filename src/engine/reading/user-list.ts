import { alternatives } from "../../languages/languages.ts";
import { codeOfHash, CodeSet, ItemCodes } from "../../scan/scan.ts";
import { plainText } from "./speech.ts";

/**
 * The items that a user lists: codes of them, three characters each. What a user has listed is to be worked through, however
 * alike the answers are. Holds no text.
 */
export type ItemList = string;

/** Longer texts list more than one run works through. In characters. */
const SPAN = 8_192;
/** Lines, and what stands between separators in all of them: beyond these nothing is listed. */
const MOST_PIECES = 512;
const LEAST_ITEMS = 3;
const MOST_ITEMS = 64;
const LONGEST_ITEM = 48;
const MOST_WORDS = 4;
/** In characters. */
const SPAN_OF_ENDS = 400;
const CODE = 3;

const BLANK_LINES = /\n\s*\n/g;
const SEPARATOR = new RegExp(String.raw`[,;、，；\t]|\s(?:${alternatives("and")})\s`, "i");
const SENTENCE_END = /[:.?!]\s|[：。？！]|:(?=[\u3040-\u9fff])/;
const BULLET = /^\s{0,12}(?:[-*•·–]|\d{1,3}[.)])\s+/;
const RANGE = /(?<![\d.,])(\d{1,6})\s?[-–〜~]\s?(\d{1,6})(?!\d|[.,]\d)/g;

export function itemsListed(text: string): ItemList {
  const sample = text.slice(0, SPAN);
  const lines = sample.replace(BLANK_LINES, "\n\n").split("\n", MOST_PIECES);
  const itemLines = [...rowOf(lines.map(bulletItem)), ...rowsIn(lines), ...rangesIn(sample)];
  return [...new Set(itemLines.map(codeOfText))].slice(0, MOST_ITEMS).join("");
}

/** Listed items to ask for. */
export interface ItemSignatures {
  readonly size: number;
  has(code: string): boolean;
  /** The same items, to be asked for hundreds of them. */
  readonly codes: CodeSet;
}

/** Searched as it is: for each step of a run, of which few ask for more than a few codes. */
export function listItems(itemText: ItemList): ItemSignatures {
  return {
    size: itemText.length / CODE,
    get codes() {
      return new CodeSet(itemText);
    },
    has(code) {
      let at = itemText.indexOf(code);
      while (at % CODE > 0) at = itemText.indexOf(code, at + 1);
      return at >= 0;
    },
  };
}

/** The codes of the listed items that a call names. */
export function namedIn(action: string, items: ItemSignatures): string {
  if (items.size === 0) return "";
  const plain = plainText(action.slice(0, SPAN));
  const { codes } = items;
  const names = new Set<string>();
  for (let from = 0; from >= 0; from = afterBlank(plain, from)) addNames(plain, from, codes, names);
  return [...names].sort().slice(0, MOST_WORDS).join("");
}

/** Where the next word begins; -1 behind the last one. */
function afterBlank(plain: string, from: number): number {
  return plain.indexOf(" ", from) + 1 || -1;
}

/** Of one to four words each: no text is made of them, for an action has hundreds. */
function addNames(plain: string, from: number, codes: CodeSet, names: Set<string>): void {
  let hash = SEED;
  let words = 0;
  for (let i = from; words < MOST_WORDS; i++) {
    const isEnd = i === plain.length;
    if (isEnd || plain.charCodeAt(i) === BLANK) {
      words++;
      if (codes.hasHash(hash)) names.add(codeOfHash(hash));
    }
    if (isEnd) break;
    hash = withUnit(hash, plain.charCodeAt(i));
  }
}

/** Before the codes of items that no user but a result has listed. */
const BROUGHT = "~";
/** Fewer cells are a record rather than a list. */
const LEAST_CELLS = 5;
const MOST_CELLS = 96;
/** Longer results are read for what stands in them, not worked through. In characters. */
export const LONGEST_LIST = 4_096;

/** The items of what a tool brought back are gathered here. */
export const resultItemsIn = (): ItemCodes => new ItemCodes(MOST_CELLS);

/** What tools have listed, newest first; what a listed item is asked of brings no list. */
export function resultItems(items: ItemCodes): ItemList | undefined {
  return items.size < LEAST_CELLS ? undefined : items.codes().join("");
}

export function withResultItems(itemText: ItemList, before: ItemList = ""): ItemList {
  return (itemText + before).slice(0, CODE * 2 * MOST_CELLS);
}

/** The codes of a call's own items that a result has listed, marked as such. */
export function namedOf(items: ItemCodes, resultList: ItemSignatures): string {
  const names = items
    .codes()
    .filter((code) => resultList.has(code))
    .sort();
  return names.length === 0 ? "" : BROUGHT + names.slice(0, MOST_WORDS).join("");
}

export function isBrought(named: string): boolean {
  return named.startsWith(BROUGHT);
}

/** Items that stand next to each other; fewer than three are no list. */
function rowOf(candidates: readonly (string | undefined)[]): readonly string[] {
  const rows: string[][] = [[]];
  for (const item of candidates) {
    if (item === undefined) rows.push([]);
    else rows.at(-1)?.push(item);
  }
  return rows.filter((row) => row.length >= LEAST_ITEMS).flat();
}

/** Lists within lines. */
function rowsIn(lines: readonly string[]): readonly string[] {
  const rows: string[] = [];
  let left = MOST_PIECES;
  for (const line of lines) {
    if (line === "") continue;
    const parts = line.split(SEPARATOR, left);
    if (parts.length > 1) rows.push(...rowOf(itemsIn(parts)));
    left -= parts.length;
    if (left === 0) break;
  }
  return rows;
}

/** The first follows the words that announce the list, the last may be followed by more of the sentence. */
function itemsIn(parts: readonly string[]): readonly (string | undefined)[] {
  const items = parts.map((part) => item(part.split(SENTENCE_END).at(-1) ?? ""));
  const [first, last] = [items.indexOf(undefined), items.lastIndexOf(undefined)];
  // Within a sentence: its other words stand before the first item and behind the last.
  if (first === 0) items.splice(0, 1, ...endsOf(parts[0] ?? "", -1));
  if (last > 0 && last === parts.length - 1) items.splice(-1, 1, ...endsOf(parts.at(-1) ?? "", 1));
  return items;
}

/** One or two words at an end of a longer text. @param side the first words (1) or the last (-1) */
function endsOf(part: string, side: 1 | -1): readonly (string | undefined)[] {
  if (part.length > SPAN_OF_ENDS) return [undefined];
  const words = plainText(part.split(SENTENCE_END).at(side === 1 ? 0 : -1) ?? "").split(" ");
  const ends = [1, 2].map((count) => words.slice(...(side === 1 ? [0, count] : [-count])).join(" "));
  return [...new Set(ends)].filter((end) => end !== "");
}

function bulletItem(line: string): string | undefined {
  return BULLET.test(line) ? item(line.replace(BULLET, "")) : undefined;
}

function item(part: string): string | undefined {
  const plain = part.length > 2 * LONGEST_ITEM ? "" : plainText(part);
  const isItem = plain !== "" && plain.length <= LONGEST_ITEM && plain.split(" ").length <= MOST_WORDS;
  return isItem ? plain : undefined;
}

/** From one number to another, each in between. */
function rangesIn(text: string): readonly string[] {
  return [...text.matchAll(RANGE)].slice(0, 4).flatMap(([, first, last]) => {
    const [from, to] = [Number(first), Number(last)];
    return to > from && to - from < MOST_ITEMS ? Array.from({ length: to - from + 1 }, (_, i) => String(from + i)) : [];
  });
}

function codeOfText(plain: string): string {
  let hash = SEED;
  for (let i = 0; i < plain.length; i++) hash = withUnit(hash, plain.charCodeAt(i));
  return codeOfHash(hash);
}

const BLANK = 0x20;
// FNV-1a
const SEED = 0x811c9dc5 | 0;
const withUnit = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
