import { type LanguageWords, words } from "./language.ts";

export const hindi: LanguageWords = {
  code: "hi",
  failureOpening: words`त्रुटि`,
  atOnce: words`अभी|तुरंत`,
  goOn: words`जारी रख(?:ो|ें)|आगे बढ़(?:ो|ें)`,
  calls: words`उपकरण|फ़ंक्शन`,
  answers: words`उत्तर|जवाब`,
};
