import type { LanguageWords } from "./language.ts";

export const danish: LanguageWords = {
  code: "da",
  failureField: "fejl",
  refusalState: "afvist",
  announcing: "jeg (?:vil|skal)",
  goOn: "fortsæt",
};
