import type { LanguageWords } from "./language.ts";

export const swedish: LanguageWords = {
  code: "sv",
  failureOpening: "fel",
  failureState: "misslyckades",
  failureField: "fel",
  refusalState: "nekad",
  announcing: "jag (?:ska|kommer att)",
  goOn: "fortsätt",
};
