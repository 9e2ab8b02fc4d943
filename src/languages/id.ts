import { type LanguageWords, words } from "./language.ts";

export const indonesian: LanguageWords = {
  code: "id",
  failureState: words`gagal`,
  refusalState: words`ditolak`,
  announcing: words`saya akan`,
  goOn: words`lanjutkan|teruskan`,
};
