import { alternatives, alternativesBesides, UNSPACED_SCRIPTS } from "../../languages/languages.ts";
import { CODE, codeOfHash, codeOfText, placeOfCode } from "../../text/codes.ts";
import { type ListedCells, listedCells } from "../../scan/scan.ts";
import { HASH_SEED, hashUnit } from "../../text/hash.ts";
import { plainText } from "./speech.ts";

/**
 * The items that somebody lists: codes of them, three characters each. What a user, the system text or a tool has listed is to be
 * worked through, however alike the answers are. Holds no text.
 */
export type ItemList = string;

/** What of a longer text is read for its lists. In characters. */
const SPAN = 16_384;
/** Lines, and what stands between separators in all of them: beyond these nothing is listed. */
const MOST_PIECES = 2_048;
const LEAST_ITEMS = 3;
const MOST_ITEMS = 512;
const LONGEST_ITEM = 96;
const MOST_WORDS = 8;
/** At the ends of a list within a sentence: its other words are no item. */
const FEW_WORDS = 4;
/** In characters. */
const SPAN_OF_ENDS = 400;

const BLANK_LINES = /\n\s*\n/g;
const SEPARATOR = new RegExp(String.raw`[,;、，；\t]|\s(?:${alternatives("and")})\s`, "i");
const SENTENCE_END = /[:.?!]\s|[：。？！]|:(?=[\u3040-\u9fff])/;
const BULLET = /^\s{0,12}(?:[-*•·–]|\d{1,3}[.)])\s+/;
const THROUGH = String.raw`\s?[-–〜~]\s?|\s(?:${alternativesBesides("through", ...UNSPACED_SCRIPTS)})\s|\p{Lo}{0,2}?\s?(?:${alternatives("through", ...UNSPACED_SCRIPTS)})\s?第?`;
const RANGE = new RegExp(String.raw`(?<![\d.,])(\d{1,6})(?:${THROUGH})(\d{1,6})(?!\d|[.,]\d)`, "giu");
const ALL = new RegExp(
  String.raw`(?<!\p{L})(?:${alternativesBesides("all", ...UNSPACED_SCRIPTS)})\s(\d{1,4})(?![\d.,%])|(?:${alternatives("all", ...UNSPACED_SCRIPTS)})\s?(\d{1,4})(?![\d.,%])`,
  "giu",
);

export function itemsListed(text: string): ItemList {
  const sample = text.slice(0, SPAN);
  const lines = sample.replace(BLANK_LINES, "\n\n").split("\n", MOST_PIECES);
  const itemLines = [...rowOf(lines.map(bulletItem)), ...rowsIn(lines), ...numbersIn(sample)];
  return [...new Set(itemLines.map(codeOfText))].slice(0, MOST_ITEMS).join("");
}

/** Before the codes of items that no user has listed. */
const BROUGHT = "~";

/** The codes of the listed items that a call names, in whatever part of an argument: by a user, or else by others, marked as such. */
export function namedBy(action: string, { userItems, standingItems, resultItems }: KnownLists): string {
  const named = namedIn(action, userItems);
  if (named !== "") return named;
  const brought = namedIn(action, standingItems) || namedIn(action, resultItems, isValue);
  return brought === "" ? "" : BROUGHT + brought;
}

/** A word of a question is no item of a result, though it stands there, too; a path, a name or an id is. */
const isValue = (part: string): boolean => !/\S\s+\S/.test(part);

export function isBrought(named: string): boolean {
  return named.startsWith(BROUGHT);
}

/** What a call makes, or says at length, names nothing. */
const LONG_TEXT = /"(?:[^"\\]|\\.){200,}"/g;
/** Of JSON, between one quoted text and the next. */
const BETWEEN = /^[\s,:{}[\]]*$/;
/** In characters. */
const LONGEST_ACTION = 1_024;
const MOST_NAMES = 8;

/** @param isItem whether a single word of a part of the action, between quotes, may be an item */
export function namedIn(action: string, items: ItemList, isItem = (_: string): boolean => true): string {
  if (items === "") return "";
  const names = new Set<string>();
  for (const part of action.replace(LONG_TEXT, "").slice(0, LONGEST_ACTION).split('"')) {
    const plain = BETWEEN.test(part) ? "" : plainText(part);
    const least = isItem(part) ? 1 : 2;
    for (let at = 0; at < plain.length; at++)
      if (at === 0 || plain.charCodeAt(at - 1) === BLANK) addNames(plain, at, { items, least, names });
  }
  return [...names].sort().slice(0, MOST_NAMES).join("");
}

/** Of one to eight words each: no text is made of them, for an action has hundreds. */
function addNames(
  plain: string,
  from: number,
  { items, least, names }: { readonly items: ItemList; readonly least: number; readonly names: Set<string> },
): void {
  let hash = HASH_SEED;
  let words = 0;
  for (let i = from; words < MOST_WORDS; i++) {
    const isEnd = i === plain.length;
    if (isEnd || plain.charCodeAt(i) === BLANK) {
      words++;
      const code = words >= least ? codeOfHash(hash) : "";
      if (code !== "" && placeOfCode(items, code) >= 0) names.add(code);
    }
    if (isEnd) break;
    hash = hashUnit(hash, plain.charCodeAt(i));
  }
}

/** Fewer cells are a record rather than a list. */
const LEAST_CELLS = 5;
const MOST_CELLS = 96;
/** Longer results are read for what stands in them, not worked through. In characters. */
export const LONGEST_LIST = 4_096;

/** Lists that a thread knows of. */
export interface KnownLists {
  /** By a user. */
  readonly userItems: ItemList;
  /** By the system text. */
  readonly standingItems: ItemList;
  /** By tools. */
  readonly resultItems: ItemList;
  /** Takes what this step's tools list; what a listed item is asked of brings no list. */
  readonly bringing: ListedCells;
  brought(): ItemList | undefined;
}

export function knownLists(
  userItems: ItemList = "",
  standingItems: ItemList = "",
  resultItems: ItemList = "",
): KnownLists {
  const bringing = listedCells(MOST_CELLS);
  return {
    userItems,
    standingItems,
    resultItems,
    bringing,
    brought() {
      return bringing.cells.size < LEAST_CELLS
        ? undefined
        : [...bringing.cells].map(plainText).map(codeOfText).join("");
    },
  };
}

/** What tools have listed, newest first. */
export function withResultItems(itemText: ItemList, before: ItemList = ""): ItemList {
  return (itemText + before).slice(0, CODE * 2 * MOST_CELLS);
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
  const items = parts.map((part, i) =>
    item(part.split(SENTENCE_END).at(-1) ?? "", i === 0 || i === parts.length - 1 ? FEW_WORDS : MOST_WORDS),
  );
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
  return BULLET.test(line) ? item(line.replace(BULLET, ""), MOST_WORDS) : undefined;
}

function item(part: string, mostWords: number): string | undefined {
  const plain = part.length > LONGEST_ITEM ? "" : plainText(part);
  const isItem = plain !== "" && plain.split(" ").length <= mostWords;
  return isItem ? plain : undefined;
}

/** `matchAll` makes a copy of the expression each time, which costs more than to see that there is nothing. */
export function matchesOf(pattern: RegExp, text: string): readonly RegExpExecArray[] {
  return text.search(pattern) < 0 ? [] : [...text.matchAll(pattern)];
}

/** From one number to another, each in between, and each of "all 24". */
function numbersIn(text: string): readonly string[] {
  const ranges = matchesOf(RANGE, text).map(([, first, last]) => [first, last] as const);
  const wholes = matchesOf(ALL, text).map(([, count, another]) => ["0", count ?? another] as const);
  return [...ranges, ...wholes].slice(0, MOST_RANGES).flatMap(([first = "", last = ""]) => {
    const [from, to] = [Number(first), Number(last)];
    if (to <= from || to - from > MOST_ITEMS) return [];
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
    return numbers.flatMap((number) => [number, number.padStart(last.length, "0")]);
  });
}

const MOST_RANGES = 4;

const BLANK = 0x20;
