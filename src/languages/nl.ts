import type { LanguageWords } from "./language.ts";

export const dutch: LanguageWords = {
  code: "nl",
  failureOpening: "fout",
  failureState: "mislukt",
  failureField: "fout",
  refusalState: "geweigerd",
  denial: "niet|geen|mislukt|verlopen",
  fault: "fout(?:en)?",
  negation: "geen|zonder",
  announcing: "ik (?:ga|zal)",
  atOnce: "meteen|direct",
  beginning: "ik begin",
  goOn: "ga (?:maar )?(?:door|verder)",
  attempt: "poging",
};
