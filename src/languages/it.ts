import type { LanguageWords } from "./language.ts";

export const italian: LanguageWords = {
  code: "it",
  failureOpening: "errore",
  failureClause: "non riuscit[oa]",
  failureField: "errore",
  refusalState: "rifiutat[oa]",
};
