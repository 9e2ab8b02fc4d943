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
  through: words`a|al|hasta`,
  all: words`todos los|todas las|los|las`,
  doing: words`
    ejecut(?:a|ar|e|en|alo|ala|arlo|arla)|corre(?:r|lo|la)?|lanza(?:r|lo|la)?|repit[ea](?:lo|la)?|repetir(?:lo|la)?|pulsa(?:r)?|haz|haga|
    hacer(?:lo)?|comprueba|comprobar|revisa(?:r|lo)?|(?<!(?:la|una|esta|cada) )prueba|probar|llama(?:r)?|envía|enviar|mide|medir|(?:re)?intenta(?:r|lo)?|actualiza(?:r)?|
    recarga(?:r)?|consulta(?:r)?|verifica(?:r)?|vigila(?:r)?|mira(?:r)?|tira(?:r)?`,
  numbers: words`dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|quince|veinte|treinta|cincuenta|cien`,
  times: words`veces|ejecuciones|iteraciones|rondas|repeticiones`,
  endless: words`
    una y otra vez|sin parar|repetidamente|continuamente|en bucle|(?:unas |varias |algunas )?(?:docenas|decenas) de veces|
    muchas veces|cada (?:\d{1,3} |cinco |diez )?(?:segundos?|minutos?|horas?)|
    durante (?:la próxima |las próximas |los próximos |una |unos )?(?:\d{1,3} |cinco |diez )?(?:segundos?|minutos?|horas?)`,
  until: words`hasta que`,
  failing: words`fall[aeo]\p{L}*|error\p{L}*`,
};
