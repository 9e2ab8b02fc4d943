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

/** Thanks or leave taken, in texts without a question or a figure: the longest, in characters, and whether they say nothing else. */
export interface Leave {
  readonly chars: number;
  readonly only: boolean;
}

/** Undefined where there is no text, or one of them neither thanks nor takes leave. */
export function leaveIn(texts: readonly string[]): Leave | undefined {
  const leaves = texts.map(leaveOf).filter((leave) => leave !== undefined);
  if (leaves.length === 0 || leaves.length < texts.length) return undefined;
  return { chars: Math.max(...leaves.map(({ chars }) => chars)), only: leaves.every(({ only }) => only) };
}

function leaveOf(text: string): Leave | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > 2 * LONGEST || MORE.test(trimmed)) return undefined;
  const chars = Array.from(trimmed).length;
  if (chars > LONGEST) return undefined;
  const plain = plainText(trimmed.replace(/['’‘ʼ`´]/g, ""));
  const unclosed = plain.replace(CLOSING, " ");
  if (unclosed === plain) return undefined;
  const words = unclosed.replace(OFFER, " ").split(" ").filter(Boolean);
  const name = NAME.exec(trimmed)?.[0].toLowerCase();
  const unspaced = words.filter((word) => UNSPACED_SCRIPTS.test(word)).join("");
  const strange = words.filter((word) => !UNSPACED_SCRIPTS.test(word) && !COURTESY.has(word) && word !== name);
  const only =
    WORDS_TO_STRANGER * strange.length <= plain.split(" ").length &&
    Array.from(unspaced.replace(COURTESY_UNSPACED, "")).length <= STRANGE_CHARACTERS;
  return { chars, only };
}

const phrases = (category: Category): RegExp => new RegExp(wordsFor(category), "gu");

/** Any of these makes it a closing, if nothing else is said. */
const CLOSING = phrases("farewell");
/** Whole turns of phrase whose words would be requests by themselves. */
const OFFER = phrases("offer");
const COURTESY: ReadonlySet<string> = new Set(alternativesBesides("courtesy", ...HAN).split("|"));
const COURTESY_UNSPACED = new RegExp(alternatives("courtesy", ...HAN), "gu");
