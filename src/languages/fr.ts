import type { LanguageWords } from "./language.ts";

export const french: LanguageWords = {
  code: "fr",
  failureOpening: "erreur|échec",
  failureClause: "impossible d(?:e |')",
  failureState: "échec",
  failureField: "erreur",
  refusalState: "refusée?|rejetée?",
};
