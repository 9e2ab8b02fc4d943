import type { LanguageWords } from "./language.ts";

export const korean: LanguageWords = {
  code: "ko",
  failureOpening: "오류|실패",
  failureState: "실패",
  failureField: "오류",
  refusalState: "거부됨?",
};
