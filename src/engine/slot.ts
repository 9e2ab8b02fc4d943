/**
 * Two characters for a token with a digit in it: what sort it is of, and enough of its hash to tell it from others. Of whole
 * numbers the rest of a division by 16, so that it shows by how much they move and nothing of what they are.
 */
export type Slot = string;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Rests of whole numbers, and after them those of whole numbers that a whole is told of: 3 of 12. */
const RESTS = 16;
const PART = 16;
const DECIMAL = 32;
const NAME = 48;

const WHOLE = /^\d{1,15}$/;
const DECIMAL_NUMBER = /^\d[\d.,]*$/;
const OF = /^\s?(?:of|\/|out of|von|de|di|sur|из|共|件中)\s?\d/;

/** @param hash of the token that stands between the two places */
export function slotOf(text: string, from: number, to: number, hash: number): Slot {
  const stirred = hash ^ (hash >>> 15);
  return `${ALPHABET[sortOf(text, from, to, stirred)]}${ALPHABET[(stirred >>> 6) & 63]}`;
}

function sortOf(text: string, from: number, to: number, hash: number): number {
  const token = text.slice(from, to);
  // An element's index, as browser agents tell it.
  const isIndex = text[from - 1] === "[" && text[to] === "]";
  if (WHOLE.test(token) && !isIndex)
    return (OF.test(text.slice(to, to + 10)) ? PART : 0) + (Number(token.slice(-4)) % RESTS);
  return (DECIMAL_NUMBER.test(token) && !isIndex ? DECIMAL : NAME) + (hash & (RESTS - 1));
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

/**
 * The values of one place, one after the other, lead somewhere: in equal strides, or on a way of which the length is told.
 * @param way `told`: only the latter, for a counter somewhere in a long text moves as it likes
 */
export function isOnItsWay(values: readonly Slot[], way: "any" | "told" = "any"): boolean {
  const sorts = values.map((value) => ALPHABET.indexOf(value.charAt(0)));
  if (new Set(values).size < values.length || sorts.some((sort) => sort < 0 || sort >= DECIMAL)) return false;
  if (sorts.every((sort) => sort >= PART)) return true;
  if (way === "told") return false;
  const strides = sorts.slice(1).map((sort, i) => (sort - (sorts[i] ?? 0) + RESTS) % RESTS);
  const [stride] = strides;
  // What moves by one each time counts the calls.
  return strides.length >= 2 && stride !== 1 && strides.every((one) => one === stride);
}
