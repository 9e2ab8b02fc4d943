import { type LanguageWords, words } from "./language.ts";

export const danish: LanguageWords = {
  code: "da",
  failureField: words`fejl`,
  refusalState: words`afvist`,
  announcing: words`jeg (?:vil|skal)`,
  goOn: words`fortsæt`,
};
