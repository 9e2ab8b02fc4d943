import { type LanguageWords, words } from "./language.ts";

export const danish: LanguageWords = {
  code: "da",
  announcing: words`jeg (?:vil|skal)`,
  goOn: words`fortsæt`,
};
