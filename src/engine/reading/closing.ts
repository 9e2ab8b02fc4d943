import { type Category, wordsFor } from "../../languages/languages.ts";
import { plainText } from "./speech.ts";

/** Longer texts say more than goodbye. In characters. */
const LONGEST = 200;

/** Beside what takes leave a farewell holds a name and courtesies: they are at most half of it. */
const BESIDES = 1 / 2;

/** A question or a figure shows that the speaker wants to go on. */
const MORE = /[?？¿\p{N}]/u;

/** Length, in characters, of a text that does nothing but end a conversation. Undefined for every text that asks, tells or wants something. */
export function closingLength(text: string): number | undefined {
  const thanks = thanksIn(text);
  if (thanks === undefined) return undefined;
  const besides = thanks.unclosed.replace(OFFER, " ").replace(/ {2,}/g, " ").trim();
  return besides.length <= thanks.plain.length * BESIDES ? Array.from(text.trim()).length : undefined;
}

export function isGracious(text: string): boolean {
  return thanksIn(text) !== undefined;
}

/** A text that thanks or takes leave, and what is left of it without that. */
function thanksIn(text: string): { readonly plain: string; readonly unclosed: string } | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > 2 * LONGEST || MORE.test(trimmed)) return undefined;
  if (Array.from(trimmed).length > LONGEST) return undefined;
  const plain = plainText(trimmed.replace(/['’‘ʼ`´]/g, ""));
  const unclosed = plain.replace(CLOSING, " ");
  return unclosed === plain ? undefined : { plain, unclosed };
}

const phrases = (category: Category): RegExp => new RegExp(wordsFor(category), "gu");

/** Any of these makes it a closing, if nothing else is said. */
const CLOSING = phrases("farewell");
/** Whole turns of phrase whose words would be requests by themselves. */
const OFFER = phrases("offer");
