import { german } from "./de.ts";
import { english } from "./en.ts";
import { spanish } from "./es.ts";
import { fewWords } from "./few-words.ts";
import { french } from "./fr.ts";
import { japanese } from "./ja.ts";
import type { Category, LanguageWords } from "./language.ts";
import { portuguese } from "./pt.ts";
import { chinese } from "./zh.ts";

export type { Category } from "./language.ts";

/** Words of human languages: a row for each language, from which regular expressions are built, in this order. */
export const LANGUAGES: readonly LanguageWords[] = [
  ...[english, german, french, spanish, portuguese],
  ...fewWords,
  ...[japanese, chinese],
];

/** Japanese and Chinese, which put no blanks between words. */
export const HAN: readonly string[] = ["ja", "zh"];
/** These, and Korean, whose words take endings: their words are found within others. */
export const UNSPACED_SCRIPTS: readonly string[] = [...HAN, "ko"];

/** Alternatives for a regular expression: those of the languages named, or of all. */
export function alternatives(category: Category, ...codes: readonly string[]): string {
  return joined(category, ({ code }) => codes.length === 0 || codes.includes(code));
}

/** The same of all languages but these, which have an expression of their own. */
export function alternativesBesides(category: Category, ...codes: readonly string[]): string {
  return joined(category, ({ code }) => !codes.includes(code));
}

/**
 * Expression for the words of a category, but for those of the languages named: they stand by themselves, where a script puts blanks
 * between words, and else anywhere.
 */
export function wordsFor(category: Category, ...besides: readonly string[]): string {
  const spaced = alternativesBesides(category, ...besides, ...UNSPACED_SCRIPTS);
  return String.raw`(?<!\p{L})(?:${spaced})(?!\p{L})|${alternatives(category, ...UNSPACED_SCRIPTS)}`;
}

/** An empty alternative would match everywhere: where there is none, nothing does. */
function joined(category: Category, isMeant: (language: LanguageWords) => boolean): string {
  const lists = LANGUAGES.filter(isMeant).map((language) => language[category]);
  return lists.filter((list) => list !== undefined).join("|") || "(?!)";
}
