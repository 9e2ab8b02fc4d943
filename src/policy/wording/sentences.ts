import { german } from "./de.ts";
import { english, type SentenceName, type Sentences } from "./en.ts";
import { spanish } from "./es.ts";
import { french } from "./fr.ts";
import { japanese } from "./ja.ts";
import { korean } from "./ko.ts";
import type { Language } from "./language.ts";
import { portuguese } from "./pt.ts";
import { chinese } from "./zh.ts";

export type { SentenceName, Sentences } from "./en.ts";

/** Sentences in place of the product's, by language and name. */
export type OwnWords = Partial<Readonly<Record<Language, Partial<Sentences>>>>;

export const sentenceNames = Object.keys(english) as readonly SentenceName[];

/** What can be said in any sentence, as `{name}`; empty where there is nothing to say. */
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

const standard: Readonly<Record<Language, Sentences>> = {
  en: english,
  ja: japanese,
  zh: chinese,
  es: spanish,
  de: german,
  fr: french,
  pt: portuguese,
  ko: korean,
};

/** The product's sentences, or those that the policy has in their place. */
export function sentencesOf(language: Language, { wording }: { readonly wording?: OwnWords }): Sentences {
  return { ...standard[language], ...wording?.[language] };
}

/** What is filled in is never looked at again: a quoted `{task}` stays what it is. */
export function filled(sentence: string, values: Places): string {
  const known: Readonly<Record<string, string | number | undefined>> = values;
  return sentence.replace(PLACE, (_, name: string) => String(known[name] ?? ""));
}

const PLACE = new RegExp(`\\{(${places.join("|")})\\}`, "g");
