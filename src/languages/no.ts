import { type LanguageWords, words } from "./language.ts";

export const norwegian: LanguageWords = {
  code: "no",
  announcing: words`jeg (?:vil|skal)`,
  goOn: words`fortsett`,
};
