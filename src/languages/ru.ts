import { type LanguageWords, words } from "./language.ts";

export const russian: LanguageWords = {
  code: "ru",
  failureOpening: words`ошибка|сбой`,
  denial: words`не|нет|невозможно|неверный|истекло`,
  fault: words`ошиб\p{L}*`,
  negation: words`не|нет|без`,
  announcing: words`сейчас (?:я )?\p{L}{2,16}у|я сейчас|приступаю|давайте`,
  goOn: words`продолжай(?:те)?|дальше`,
  tally: words`ошибок|ошибки`,
  and: words`и`,
};
