import type { LanguageWords } from "./language.ts";

export const turkish: LanguageWords = {
  code: "tr",
  failureOpening: "hata",
  failureState: "başarısız",
  failureField: "hata",
  refusalState: "reddedildi",
  atOnce: "hemen",
  beginning: String.raw`\p{L}{2,20}(?:acağım|eceğim|ıyorum|iyorum|uyorum|üyorum)|başlıyorum`,
  goOn: "devam(?: et| edin)?",
  calls: "araç",
  answers: "yanıt|cevap",
  thinkVerb: "düşün",
};
