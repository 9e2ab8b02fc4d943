import type { LanguageWords } from "./language.ts";

export const russian: LanguageWords = {
  code: "ru",
  failureOpening: "ошибка|сбой",
  failureClause: "не удалось",
  failureState: "ошибка",
  failureField: "ошибка",
  refusalState: "отклонен[оа]?",
  denial: "не|нет|невозможно|неверный|истекло",
  fault: String.raw`ошиб\p{L}*`,
  negation: "не|нет|без",
};
