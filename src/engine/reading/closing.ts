import { alternatives, alternativesBesides, type Category, HAN, wordsFor } from "../../languages/languages.ts";
import { plainText } from "./speech.ts";

/** Longer texts say more than goodbye. In characters. */
const LONGEST = 200;

/** One word of so many may be no courtesy. */
const WORDS_TO_STRANGER = 12;
/** One more may be a name, within a sentence. */
const NAME = /(?<=[\p{L},] )\p{Lu}\p{Ll}{1,24}/u;
/** Characters beyond which a text in a script without spaces is no closing. */
const STRANGE_CHARACTERS = 2;

/** A question or a figure shows that the speaker wants to go on. */
const MORE = /[?？¿\p{N}]/u;
const UNSPACED_SCRIPTS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Length, in characters, of a text that does nothing but end a conversation: it has a closing phrase (English, Japanese,
 * Chinese, Spanish, German, French) and otherwise only courtesies. Undefined for every text that asks, tells or wants something.
 */
export function closingLength(text: string): number | undefined {
  const thanks = thanksIn(text);
  return thanks !== undefined && isFarewell(thanks) ? Array.from(text.trim()).length : undefined;
}

export function isGracious(text: string): boolean {
  return thanksIn(text) !== undefined;
}

interface Thanks {
  readonly plain: string;
  readonly unclosed: string;
  readonly name: string | undefined;
}

function thanksIn(text: string): Thanks | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > 2 * LONGEST || MORE.test(trimmed)) return undefined;
  if (Array.from(trimmed).length > LONGEST) return undefined;
  const plain = plainText(trimmed.replace(/['’‘ʼ`´]/g, ""));
  const unclosed = plain.replace(CLOSING, " ");
  return unclosed === plain ? undefined : { plain, unclosed, name: NAME.exec(trimmed)?.[0].toLowerCase() };
}

function isFarewell({ plain, unclosed, name }: Thanks): boolean {
  const rest = unclosed.replace(OFFER, " ");
  const words = rest.split(" ").filter(Boolean);
  const spaced = words.filter((word) => !UNSPACED_SCRIPTS.test(word));
  const unspaced = words.filter((word) => UNSPACED_SCRIPTS.test(word)).join("");
  return (
    WORDS_TO_STRANGER * spaced.filter((word) => !COURTESY.has(word) && word !== name).length <=
      plain.split(" ").length && Array.from(unspaced.replace(COURTESY_UNSPACED, "")).length <= STRANGE_CHARACTERS
  );
}

const phrases = (category: Category): RegExp => new RegExp(wordsFor(category), "gu");

/** Any of these makes it a closing, if nothing else is said. */
const CLOSING = phrases("farewell");
/** Whole turns of phrase whose words would be requests by themselves. */
const OFFER = phrases("offer");
const COURTESY: ReadonlySet<string> = new Set(alternativesBesides("courtesy", ...HAN).split("|"));
const COURTESY_UNSPACED = new RegExp(alternatives("courtesy", ...HAN), "gu");
