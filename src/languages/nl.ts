import { type LanguageWords, words } from "./language.ts";

export const dutch: LanguageWords = {
  code: "nl",
  failureOpening: words`fout`,
  denial: words`niet|geen|mislukt|verlopen`,
  fault: words`fout(?:en)?`,
  negation: words`geen|zonder`,
  announcing: words`ik (?:ga|zal)`,
  goOn: words`ga (?:maar )?(?:door|verder)`,
};
