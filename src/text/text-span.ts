import type { Json } from "./is-object.ts";
import { HASH_SEED, hashUnit } from "./hash.ts";

/**
 * The longest text that is read whole, in UTF-16 units. Of a longer one the head and the tail are read, and a checksum stands
 * for its middle: no pattern, parser or hash ever works on more than this.
 */
export const LONGEST_TEXT = 65_536;

/** Longer than any mark. */
const MARK = 64;

/** The text as it is read: itself, or its head and tail. Texts that differ anywhere still differ, and cutting twice changes nothing. */
export function cutText(text: string, longest = LONGEST_TEXT): string {
  if (text.length <= longest) return text;
  const half = Math.floor((longest - MARK) / 2);
  const end = text.length - half;
  // In ASCII: one sign beyond Latin-1 makes a text twice as large, and patterns slower by far.
  return `${text.slice(0, half)} ...[${checksumOf(text.slice(half, end))}]... ${text.slice(end)}`;
}

/** 64 bits, in one pass. In letters: where numbers may change, the middle of a text may not. */
function checksumOf(text: string): string {
  let [one, other] = [HASH_SEED, 0x1234567];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = hashUnit(one, unit);
    other = hashUnit(other, unit);
  }
  const digits = (one >>> 0).toString(26) + (other >>> 0).toString(26);
  return digits.replace(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit)));
}

/** The texts joined by line breaks, as they are read. */
export function joinTexts(texts: readonly string[]): string {
  return cutText(texts.length === 1 ? (texts[0] ?? "") : texts.join("\n"));
}

/**
 * A value that `JSON.parse` has just made, each of its texts cut in its place. Names are left alone: what reads them asks for
 * certain ones. Iterative: how deep the value nests is the client's choice.
 */
export function cutTextsIn(value: Json): Json {
  if (typeof value === "string") return cutText(value);
  const open: unknown[] = [value];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null) continue;
    const members = node as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const member = members[name];
      if (typeof member === "object" && member !== null) open.push(member);
      // `__proto__` is a name like any other where JSON has it, and assigning to it would do something else.
      else if (typeof member === "string" && member.length > LONGEST_TEXT)
        Object.defineProperty(members, name, { value: cutText(member) });
    }
  }
  return value;
}
