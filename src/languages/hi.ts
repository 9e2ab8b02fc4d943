import { type LanguageWords, words } from "./language.ts";

export const hindi: LanguageWords = {
  code: "hi",
  failureOpening: words`त्रुटि`,
  goOn: words`जारी रख(?:ो|ें)|आगे बढ़(?:ो|ें)`,
};
