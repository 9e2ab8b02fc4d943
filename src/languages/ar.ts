import { type LanguageWords, words } from "./language.ts";

export const arabic: LanguageWords = {
  code: "ar",
  failureOpening: words`خطأ`,
  goOn: words`استمر|تابع|المتابعة`,
};
