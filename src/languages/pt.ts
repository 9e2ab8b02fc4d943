import type { LanguageWords } from "./language.ts";

export const portuguese: LanguageWords = {
  code: "pt",
  failureOpening: "erro|falha",
  failureClause: "não foi possível",
  failureState: "falhou|falha",
  failureField: "erro",
  refusalState: "recusad[oa]",
};
