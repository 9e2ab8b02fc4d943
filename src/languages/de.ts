import type { LanguageWords } from "./language.ts";

export const german: LanguageWords = {
  code: "de",
  failureOpening: "fehler|fehlgeschlagen",
  failureClause: "konnte nicht",
  failureState: "fehlgeschlagen",
  failureField: "fehler(meldung)?",
  refusalState: "abgelehnt|verweigert",
};
