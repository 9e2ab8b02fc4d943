import { type LanguageWords, words } from "./language.ts";

export const finnish: LanguageWords = {
  code: "fi",
  failureOpening: words`virhe`,
  goOn: words`jatka`,
};
