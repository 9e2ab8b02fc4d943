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
  announcing: String.raw`ich werde|lass mich|ich (?:\p{L}{2,16} )?(?:jetzt|nun|gleich)|jetzt \p{L}{2,16} ich`,
  atOnce: "sofort|umgehend",
  beginning: "ich (?:beginne|fange|starte)",
  goOn: "weiter(?: so)?|mach weiter|fortfahren",
  please: "bitte",
  pleaseBehind: "bitte",
  calls: "werkzeug|funktion",
  answers: "antwort|ausgabe",
};
