import { type LanguageWords, words } from "./language.ts";

export const norwegian: LanguageWords = {
  code: "no",
  failureField: words`feil`,
  refusalState: words`avvist`,
  announcing: words`jeg (?:vil|skal)`,
  goOn: words`fortsett`,
};
