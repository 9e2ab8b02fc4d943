import { type LanguageWords, words } from "./language.ts";

export const polish: LanguageWords = {
  code: "pl",
  failureOpening: words`błąd`,
  denial: words`nie|brak|nieudan[ey]|upłynął`,
  fault: words`błęd\p{L}*`,
  negation: words`brak|nie|bez`,
  goOn: words`kontynuuj|dalej`,
};
