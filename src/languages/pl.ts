import type { LanguageWords } from "./language.ts";

export const polish: LanguageWords = {
  code: "pl",
  failureOpening: "błąd",
  failureClause: "nie udało się",
  failureState: "niepowodzenie",
  failureField: "błąd|blad",
  refusalState: "odrzucono",
  denial: "nie|brak|nieudan[ey]|upłynął",
  fault: String.raw`błęd\p{L}*`,
  negation: "brak|nie|bez",
  atOnce: "zaraz|już",
  beginning: "zaczynam",
  goOn: "kontynuuj|dalej",
  calls: "narzędzi|funkcj",
  answers: "odpowied",
  thinkVerb: "myśl",
  attempt: "próba",
};
