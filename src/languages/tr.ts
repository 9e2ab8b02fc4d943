import { type LanguageWords, words } from "./language.ts";

export const turkish: LanguageWords = {
  code: "tr",
  failureOpening: words`hata`,
  atOnce: words`hemen`,
  beginning: words`\p{L}{2,20}(?:acağım|eceğim|ıyorum|iyorum|uyorum|üyorum)|başlıyorum`,
  goOn: words`devam(?: et| edin)?`,
  calls: words`araç`,
  answers: words`yanıt|cevap`,
  thinkVerb: words`düşün`,
};
