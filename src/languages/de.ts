import type { LanguageWords } from "./language.ts";

export const german: LanguageWords = {
  code: "de",
  failureOpening: "fehler|fehlgeschlagen",
  failureClause: "konnte nicht",
  failureState: "fehlgeschlagen",
  failureField: "fehler(meldung)?",
  refusalState: "abgelehnt|verweigert",
  denial:
    String.raw`nicht|kein\p{L}{0,2}|ungültig\p{L}{0,2}|unmöglich|fehlgeschlagen|abgelaufen|überschritten|` +
    "verweigert|zeitüberschreitung",
  fault: String.raw`fehler\p{L}*`,
  faulty: String.raw`fehlgeschlagen\p{L}*`,
  negation: "keine?[nrs]?|nicht|ohne",
  notBeside: "weil|wegen",
};
