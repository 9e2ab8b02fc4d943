import { plainText } from "./speech.ts";

/**
 * The items that a user lists: codes of them, three characters each. What a user has listed is to be worked through, however
 * alike the answers are. Holds no text.
 */
export type Listed = string;

/** Longer texts list more than one run works through. In characters. */
const SPAN = 8_192;
const LEAST_ITEMS = 3;
const MOST_ITEMS = 64;
const LONGEST_ITEM = 48;
const MOST_WORDS = 4;
const CODE = 3;

const SEPARATOR = /[,;、，；\t]|\s(?:and|or|und|oder|et|ou|y|o|e|и|或|和|と|および)\s/i;
const SENTENCE_END = /[:：.?!。？！]\s/;
const BULLET = /^\s{0,12}(?:[-*•·–]|\d{1,3}[.)])\s+/;
const RANGE =
  /(?<![\d.,])(\d{1,6})\s?(?:-|–|to|bis|until|through|à|a|al|hasta|至|到|から|〜|~)\s?(\d{1,6})(?!\d|[.,]\d)/gi;

export function listedIn(text: string): Listed {
  const sample = text.slice(0, SPAN);
  const lines = sample.split("\n");
  const found = [
    ...rowOf(lines.map(bulletItem)),
    ...lines.flatMap((line) => rowOf(itemsIn(line))),
    ...rangesIn(sample),
  ];
  return [...new Set(found.map(codeOf))].slice(0, MOST_ITEMS).join("");
}

export function listedItems(listed: Listed): ReadonlySet<string> {
  const items = new Set<string>();
  for (let i = 0; i < listed.length; i += CODE) items.add(listed.slice(i, i + CODE));
  return items;
}

/** The codes of the listed items that a call names. */
export function namedIn(action: string, listed: ReadonlySet<string>): string {
  if (listed.size === 0) return "";
  const words = plainText(action.slice(0, SPAN)).split(" ");
  const found = new Set<string>();
  for (let from = 0; from < words.length; from++) {
    let item = "";
    for (let length = 1; length <= MOST_WORDS && from + length <= words.length; length++) {
      item = length === 1 ? (words[from] ?? "") : `${item} ${words[from + length - 1]}`;
      const code = codeOf(item);
      if (listed.has(code)) found.add(code);
    }
  }
  return [...found].sort().slice(0, MOST_WORDS).join("");
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

/** The first follows the words that announce the list, the last may be followed by more of the sentence. */
function itemsIn(line: string): readonly (string | undefined)[] {
  return line.split(SEPARATOR).map((part) => item(part.split(SENTENCE_END).at(-1) ?? ""));
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

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function codeOf(plain: string): string {
  let hash = 0x811c9dc5 | 0;
  for (let i = 0; i < plain.length; i++) hash = Math.imul(hash ^ plain.charCodeAt(i), 0x01000193);
  const stirred = hash ^ (hash >>> 15);
  return [0, 6, 12].map((shift) => ALPHABET[(stirred >>> shift) & 63]).join("");
}
