import { type LanguageWords, words } from "./language.ts";

export const arabic: LanguageWords = {
  code: "ar",
  failureOpening: words`خطأ`,
  atOnce: words`الآن|سأقوم`,
  goOn: words`استمر|تابع|المتابعة`,
  calls: words`أداة|الأدوات`,
  answers: words`إجاب|الرد`,
};
