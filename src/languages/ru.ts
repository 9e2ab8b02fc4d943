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
  announcing: String.raw`сейчас (?:я )?\p{L}{2,16}у|я сейчас|приступаю|давайте`,
  atOnce: "сейчас же|немедленно",
  beginning: "начинаю|перехожу",
  goOn: "продолжай(?:те)?|дальше",
  please: "пожалуйста",
  calls: "инструмент|функци",
  answers: "ответ|вызов",
  thinkVerb: "думать|мысль",
  attempt: "попытка",
  rationale: "причина",
  tally: "ошибок|ошибки",
};
