import type { LanguageWords } from "./language.ts";

export const italian: LanguageWords = {
  code: "it",
  failureOpening: "errore",
  failureClause: "non riuscit[oa]",
  failureField: "errore",
  refusalState: "rifiutat[oa]",
  denial: "non|nessun[oa]?|impossibile|scadut[oa]|fallit[oa]|rifiutat[oa]",
  fault: "errore|errori",
  negation: "nessun[oa]?|non|senza",
  announcing: "sto per|lasciami|vado a",
  atOnce: "subito|immediatamente",
  beginning: "comincio|procedo",
  goOn: "avanti|vai avanti",
  please: "per favore",
  pleaseBehind: "per favore",
  calls: "strument[oi]|funzion[ei]",
  answers: "rispost|rispond",
  thinkVerb: "pensare",
  sendVerb: "inviare",
  writeVerb: "creare|scrivere|salvare|eliminare|aggiornare|aggiungere|prenotare",
};
