import type { LanguageWords } from "./language.ts";

export const hindi: LanguageWords = {
  code: "hi",
  failureOpening: "त्रुटि",
  failureClause: "विफल|असफल",
  failureField: "त्रुटि",
  atOnce: "अभी|तुरंत",
  goOn: "जारी रख(?:ो|ें)|आगे बढ़(?:ो|ें)",
  calls: "उपकरण|फ़ंक्शन",
  answers: "उत्तर|जवाब",
};
