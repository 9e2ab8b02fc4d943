import type { LanguageWords } from "./language.ts";

export const spanish: LanguageWords = {
  code: "es",
  failureOpening: "fallo",
  failureClause: "no se (?:pudo|ha podido)",
  failureState: "fallido|fallo",
  refusalState: "rechazad[oa]",
  denial:
    String.raw`no (?:se|es|está|estaba|hay|existe|fue|ha|pud\p{L}+|pued\p{L}+|encontr\p{L}+|visible|disponible|válid[oa])|` +
    "ningun[oa]?|ningún|imposible|agotado|fallid[oa]|falló|rechazad[oa]",
  fault: "errore?s|fall[ao]s?",
  faulty: "falló|fallid[oa]s?",
  negation: "ning[uú]n[oa]?|sin",
  notBeside: "porque",
  announcing: "voy a|déjame|permíteme",
  atOnce: "ahora mismo|enseguida|en seguida|ya mismo|de inmediato",
  beginning: "empiezo|comienzo|procedo|me pongo",
  goOn: "contin[uú]a|sigue|siga|adelante",
  please: "por favor",
  pleaseBehind: "por favor",
  calls: "herramientas?|funci[oó]n",
  answers: "respuesta|responde",
};
