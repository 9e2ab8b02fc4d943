import { type LanguageWords, words } from "./language.ts";

export const swedish: LanguageWords = {
  code: "sv",
  failureOpening: words`fel`,
  failureState: words`misslyckades`,
  failureField: words`fel`,
  refusalState: words`nekad`,
  announcing: words`jag (?:ska|kommer att)`,
  goOn: words`fortsätt`,
};
