import { type LanguageWords, words } from "./language.ts";

export const indonesian: LanguageWords = {
  code: "id",
  announcing: words`saya akan`,
  goOn: words`lanjutkan|teruskan`,
};
