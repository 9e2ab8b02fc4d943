import type { LanguageWords } from "./language.ts";

export const spanish: LanguageWords = {
  code: "es",
  failureOpening: "fallo",
  failureClause: "no se (?:pudo|ha podido)",
  failureState: "fallido|fallo",
  refusalState: "rechazad[oa]",
};
