import type { LanguageWords } from "./language.ts";

export const turkish: LanguageWords = {
  code: "tr",
  failureOpening: "hata",
  failureState: "başarısız",
  failureField: "hata",
  refusalState: "reddedildi",
};
