import { alternatives, alternativesBesides, type Category, HAN } from "../../languages/languages.ts";
import { plainText } from "./speech.ts";

/** Longer texts say more than goodbye. In characters. */
const LONGEST = 200;

/** Words that are neither courtesy nor a request and may still stand in a farewell: a name. */
const STRANGERS = 1;
/** Characters beyond which a text in a script without spaces is no closing. */
const STRANGE_CHARACTERS = 4;

/** A question or a figure shows that the speaker wants to go on. */
const MORE = /[?？¿\p{N}]/u;
const UNSPACED_SCRIPTS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Length, in characters, of a text that does nothing but end a conversation: it has a closing phrase (English, Japanese,
 * Chinese, Spanish, German, French) and otherwise only courtesies. Undefined for every text that asks, tells or wants something.
 */
export function closingLength(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > 2 * LONGEST || MORE.test(trimmed)) return undefined;
  const length = Array.from(trimmed).length;
  return length <= LONGEST && isFarewell(plainText(trimmed.replace(/['’‘ʼ`´]/g, ""))) ? length : undefined;
}

function isFarewell(plain: string): boolean {
  const unclosed = plain.replace(CLOSING, " ").replace(CLOSING_UNSPACED, " ");
  const rest = unclosed.replace(OFFER, " ").replace(OFFER_UNSPACED, " ");
  if (unclosed === plain || REQUEST_UNSPACED.test(rest)) return false;
  const words = rest.split(" ").filter(Boolean);
  const spaced = words.filter((word) => !UNSPACED_SCRIPTS.test(word));
  const unspaced = words.filter((word) => UNSPACED_SCRIPTS.test(word)).join("");
  if (spaced.some((word) => REQUEST.has(word))) return false;
  return (
    spaced.filter((word) => !COURTESY.has(word)).length <= STRANGERS &&
    Array.from(unspaced.replace(COURTESY_UNSPACED, "")).length <= STRANGE_CHARACTERS
  );
}

/** In letters of any script: `\b` knows ASCII alone. */
const phrases = (category: Category): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${alternativesBesides(category, ...HAN)})(?![\p{L}\p{N}])`, "gu");
const phrasesInHan = (category: Category): RegExp => new RegExp(alternatives(category, ...HAN), "gu");
const words = (category: Category): ReadonlySet<string> => new Set(alternativesBesides(category, ...HAN).split("|"));

/** Any of these makes it a closing, if nothing else is said. */
const CLOSING = phrases("farewell");
const CLOSING_UNSPACED = phrasesInHan("farewell");

/** Whole turns of phrase whose words would be requests by themselves. */
const OFFER = phrases("offer");
const OFFER_UNSPACED = phrasesInHan("offer");

const COURTESY = words("courtesy");
const COURTESY_UNSPACED = phrasesInHan("courtesy");

/** A farewell that holds one of these wants, asks, answers or announces something. */
const REQUEST = words("request");
const REQUEST_UNSPACED = new RegExp(alternatives("request", ...HAN), "u");
