import type { english } from "./en.ts";

/**
 * Alternatives of a regular expression, divided by bars. Words of scripts that know capitals are given in small letters: case is ignored,
 * and names of tools and arguments are compared in small letters.
 */
type Alternatives = string;

/** What languages may have words for (`docs/languages.md`): what English has, and failures that are denied by a word's ending. */
export type Category = Exclude<keyof typeof english, "code"> | "negatedFault";

/** What one language calls the things that are looked for in texts; `code` is as in BCP 47. What it has no words for is not seen in it. */
export type LanguageWords = { readonly code: string } & { readonly [Of in Category]?: Alternatives };

/** Alternatives as they are written, over as many lines as need be. A bundler escapes the letters of plain strings, and would double them. */
export function words({ raw }: TemplateStringsArray): Alternatives {
  return raw.join("").replace(/\n\s*/g, "");
}
