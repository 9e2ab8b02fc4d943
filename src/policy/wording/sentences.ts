import { germanSentences } from "./de.ts";
import { englishSentences, type SentenceName, type Sentences } from "./en.ts";
import { spanishSentences } from "./es.ts";
import { frenchSentences } from "./fr.ts";
import { japaneseSentences } from "./ja.ts";
import { koreanSentences } from "./ko.ts";
import type { Language } from "./language.ts";
import { portugueseSentences } from "./pt.ts";
import { chineseSentences } from "./zh.ts";

export type { SentenceName, Sentences } from "./en.ts";

/** Sentences in place of the product's, by language and name. */
export type OwnWords = Partial<Readonly<Record<Language, Partial<Sentences>>>>;

export const sentenceNames = Object.keys(englishSentences) as readonly SentenceName[];

/** Placeholders for any sentence, as `{name}`; empty if there is nothing to fill in. */
export const places = [
  ...([
    "count",
    "calls",
    "tool",
    "index",
    "outcome",
    "task",
    "doneTool",
    "limit",
    "seconds",
    "argument",
    "value",
    "fallback",
  ] as const),
  ...(["before", "after", "option", "reason", "tried", "undone"] as const),
] as const;
export type Places = Partial<Readonly<Record<(typeof places)[number], string | number>>>;

export const standardSentences: Readonly<Record<Language, Sentences>> = {
  en: englishSentences,
  ja: japaneseSentences,
  zh: chineseSentences,
  es: spanishSentences,
  de: germanSentences,
  fr: frenchSentences,
  pt: portugueseSentences,
  ko: koreanSentences,
};

/** The product's sentences, or those that the policy has in their place. */
export function sentencesOf(language: Language, { wording }: { readonly wording?: OwnWords }): Sentences {
  return { ...standardSentences[language], ...wording?.[language] };
}

/** Fills placeholders in one pass: a `{task}` inside a quotation stays as it is. */
export function filled(sentence: string, values: Places): string {
  const byName: Readonly<Record<string, string | number | undefined>> = values;
  return sentence.replace(PLACE, (_, name: string) => String(byName[name] ?? ""));
}

const PLACE = new RegExp(`\\{(${places.join("|")})\\}`, "g");
