import { type LanguageWords, words } from "./language.ts";

export const swedish: LanguageWords = {
  code: "sv",
  failureOpening: words`fel`,
  announcing: words`jag (?:ska|kommer att)`,
  goOn: words`fortsätt`,
};
