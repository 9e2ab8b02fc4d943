import { type LanguageWords, words } from "./language.ts";

export const turkish: LanguageWords = {
  code: "tr",
  failureOpening: words`hata`,
  goOn: words`devam(?: et| edin)?`,
};
