import type { LanguageWords } from "./language.ts";

export const finnish: LanguageWords = {
  code: "fi",
  failureOpening: "virhe",
  failureField: "virhe",
  refusalState: "hylätty",
  goOn: "jatka",
};
