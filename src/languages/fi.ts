import { type LanguageWords, words } from "./language.ts";

export const finnish: LanguageWords = {
  code: "fi",
  failureOpening: words`virhe`,
  failureField: words`virhe`,
  refusalState: words`hylätty`,
  goOn: words`jatka`,
};
