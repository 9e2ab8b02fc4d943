import { type LanguageWords, words } from "./language.ts";

export const italian: LanguageWords = {
  code: "it",
  failureOpening: words`errore`,
  denial: words`non|nessun[oa]?|impossibile|scadut[oa]|fallit[oa]|rifiutat[oa]`,
  fault: words`errore|errori`,
  negation: words`nessun[oa]?|non|senza`,
  announcing: words`sto per|lasciami|vado a`,
  goOn: words`avanti|vai avanti`,
  writeVerb: words`creare|scrivere|salvare|eliminare|aggiornare|aggiungere|prenotare`,
  tally: words`errori`,
  and: words`e|o`,
};
