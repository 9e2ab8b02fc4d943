import { type LanguageWords, words } from "./language.ts";

export const polish: LanguageWords = {
  code: "pl",
  failureOpening: words`błąd`,
  denial: words`nie|brak|nieudan[ey]|upłynął`,
  fault: words`błęd\p{L}*`,
  negation: words`brak|nie|bez`,
  atOnce: words`zaraz|już`,
  beginning: words`zaczynam`,
  goOn: words`kontynuuj|dalej`,
  calls: words`narzędzi|funkcj`,
  answers: words`odpowied`,
  thinkVerb: words`myśl`,
};
