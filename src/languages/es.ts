import { type LanguageWords, words } from "./language.ts";

export const spanish: LanguageWords = {
  code: "es",
  failureOpening: words`fallo`,
  denial: words`no (?:se|es|está|hay|existe|fue|ha|pud\p{L}+|pued\p{L}+|encontr\p{L}+)|ning[uú]n[oa]?|imposible|falló|rechazad[oa]`,
  fault: words`errore?s|fall[ao]s?`,
  negation: words`ning[uú]n[oa]?|sin`,
  announcing: words`voy a|déjame`,
  actLabel: words`comando|orden|acci[oó]n`,
  goOn: words`contin[uú]a|sigue|siga|adelante`,
  farewell: words`
    (?:muchas |mil )?gracias|de nada|no hay de qué|adi[oó]s|hasta (?:luego|pronto|la próxima|mañana)|cuídate|
    (?:un )?(?:cordial )?saludos?|que (?:te |le |os |les )?vaya (?:muy )?bien|placer|buen(?:os|as)? (?:días?|tardes?|noches?|semana)|
    (?:que )?(?:tenga|tengas|pase|pases) (?:una? )?(?:\p{L}+ ){0,2}(?:día|tarde|noche|semana)`,
  courtesy: words`igualmente|usted|ti|por|para|su|tu|ayuda|muy|buen|día|también|a|la|el|todo|con|que|le|ha|sido|mío|y|un`,
  writeVerb: words`crear|escribir|guardar|eliminar|actualizar|modificar|reemplazar|reservar`,
  tally: words`fallos|errores`,
  and: words`y|o`,
  through: words`a|al|hasta`,
  all: words`todos los|todas las|l[ao]s`,
  doing: words`
    ejecut(?:a|e)\p{L}*|corre(?:r|lo|la)?|lanza(?:r|lo|la)?|repit[ea](?:lo|la)?|repetir(?:lo|la)?|pulsar?|haz|haga|
    hacer(?:lo)?|comprueba|revisa(?:r|lo)?|(?<!(?:la|una|esta|cada) )prueba|probar|llamar?|envía|enviar|mide|
    (?:re)?intenta(?:r|lo)?|actualizar?|recargar?|consultar?|verificar?|vigilar?|mirar?`,
  numbers: words`dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|veinte|cincuenta|cien`,
  times: words`veces|ejecuciones|iteraciones|rondas`,
  endless: words`
    una y otra vez|sin parar|repetidamente|continuamente|en bucle|(?:docenas|decenas) de veces|muchas veces|
    cada (?:\d{1,3} |cinco |diez )?(?:segundos?|minutos?|horas?)|
    durante (?:la próxima |los próximos |una )?(?:\d{1,3} |diez )?(?:segundos?|minutos?|horas?)`,
  until: words`hasta que`,
  failing: words`fall[aeo]\p{L}*|error\p{L}*`,
};
