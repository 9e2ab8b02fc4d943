import { type LanguageWords, words } from "./language.ts";

export const italian: LanguageWords = {
  code: "it",
  failureOpening: words`errore`,
  denial: words`non|nessun[oa]?|impossibile|scadut[oa]|fallit[oa]|rifiutat[oa]`,
  fault: words`errore|errori`,
  negation: words`nessun[oa]?|non|senza`,
  announcing: words`sto per|lasciami|vado a`,
  atOnce: words`subito|immediatamente`,
  beginning: words`comincio|procedo`,
  goOn: words`avanti|vai avanti`,
  please: words`per favore`,
  pleaseBehind: words`per favore`,
  calls: words`strument[oi]|funzion[ei]`,
  answers: words`rispost|rispond`,
  thinkVerb: words`pensare`,
  sendVerb: words`inviare`,
  writeVerb: words`creare|scrivere|salvare|eliminare|aggiornare|aggiungere|prenotare`,
  tally: words`errori`,
  and: words`e|o`,
  upTo: words`a|al`,
};
