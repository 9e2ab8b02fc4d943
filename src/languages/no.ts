import type { LanguageWords } from "./language.ts";

export const norwegian: LanguageWords = {
  code: "no",
  failureField: "feil",
  refusalState: "avvist",
  announcing: "jeg (?:vil|skal)",
  goOn: "fortsett",
};
