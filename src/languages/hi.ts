import type { LanguageWords } from "./language.ts";

export const hindi: LanguageWords = {
  code: "hi",
  failureOpening: "त्रुटि",
  failureClause: "विफल|असफल",
  failureField: "त्रुटि",
};
