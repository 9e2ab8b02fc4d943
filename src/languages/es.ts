import { type LanguageWords, words } from "./language.ts";

export const spanish: LanguageWords = {
  code: "es",
  failureOpening: words`fallo`,
  denial: words`
    no (?:se|es|está|estaba|hay|existe|fue|ha|pud\p{L}+|pued\p{L}+|encontr\p{L}+|visible|disponible|válid[oa])|
    ningun[oa]?|ningún|imposible|agotado|fallid[oa]|falló|rechazad[oa]`,
  fault: words`errore?s|fall[ao]s?|falló|fallid[oa]s?`,
  negation: words`ning[uú]n[oa]?|sin`,
  announcing: words`voy a|déjame|permíteme`,
  goOn: words`contin[uú]a|sigue|siga|adelante`,
  farewell: words`
    (?:muchas |mil )?gracias|de nada|no hay de qué|adi[oó]s|hasta (?:luego|pronto|la próxima|mañana)|cuídate|
    cuídese|chao|(?:que )?(?:tenga|tengas|pase|pases) (?:un |una )?(?:\p{L}+ ){0,2}(?:día|tarde|noche|semana)`,
  courtesy: words`
    igualmente|usted|ustedes|ti|para|por|su|tu|ayuda|mucho|muchas|muchos|muy|buen|buena|buenas|buenos|día|días|
    tarde|tardes|noche|noches|lindo|feliz|también|a|la|el|todo|con|que|le|te|gusto|placer|un|una`,
  writeVerb: words`
    crear|escribir|guardar|borrar|eliminar|actualizar|editar|reemplazar|agregar|añadir|reservar|comprar|pagar|
    registrar`,
  tally: words`fallos|fallas|errores`,
  and: words`y|o`,
};
