import type { LanguageWords } from "./language.ts";

export const arabic: LanguageWords = {
  code: "ar",
  failureOpening: "خطأ",
  failureClause: "تعذر",
  failureField: "خطأ",
  atOnce: "الآن|سأقوم",
  goOn: "استمر|تابع|المتابعة",
  calls: "أداة|الأدوات",
  answers: "إجاب|الرد",
};
