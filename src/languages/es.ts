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
  farewell:
    "(?:muchas |mil )?gracias|de nada|no hay de qué|adi[oó]s|" +
    "hasta (?:luego|pronto|la próxima|mañana)|cuídate|cuídese|chao|" +
    String.raw`(?:que )?(?:tenga|tengas|pase|pases) (?:un |una )?(?:\p{L}+ ){0,2}(?:día|tarde|noche|semana)`,
  courtesy:
    "igualmente|usted|ustedes|ti|para|por|su|tu|ayuda|mucho|muchas|muchos|muy|buen|buena|buenas|buenos|día|días|" +
    "tarde|tardes|noche|noches|lindo|feliz|también|a|la|el|todo|con|que|le|te|gusto|placer|un|una",
  request: "quiero|quisiera|necesito|puede|puedes|podría|pero|cambiar|cancelar|reservar|sí",
  thinkVerb: "pensar|pensamiento",
  sendVerb: "enviar|mandar",
  writeVerb:
    "crear|escribir|guardar|borrar|eliminar|actualizar|editar|reemplazar|agregar|añadir|reservar|comprar|pagar|" +
    "registrar",
  startVerb: "lanzar|iniciar",
  attempt: "intento",
  rationale: "motivo|razón|razon",
  tally: "fallos|fallas|errores",
  and: "y|o",
  upTo: "a|al|hasta",
};
