import type { LanguageWords } from "./language.ts";

export const portuguese: LanguageWords = {
  code: "pt",
  failureOpening: "erro|falha",
  failureClause: "não foi possível",
  failureState: "falhou|falha",
  failureField: "erro",
  refusalState: "recusad[oa]",
  denial: "não|nenhum[a]?|impossível|inválid[oa]|esgotado|expirou|falhou|recusad[oa]|recusou",
  fault: "erros?|falhas?",
  faulty: "falhou",
  negation: "nenhuma?|não|sem",
  notBeside: "porque",
  announcing: "vou|deixe-me",
  atOnce: "agora mesmo|imediatamente|em seguida",
  beginning: "começo|passo a|ponho-me",
  goOn: "prossiga|continue",
  please: "por favor",
  pleaseBehind: "por favor",
  calls: "ferramentas?|função",
  answers: "respost|responda",
  thinkVerb: "pensamento",
  sendVerb: "enviar|mandar",
  writeVerb:
    "criar|escrever|guardar|salvar|eliminar|excluir|atualizar|editar|substituir|adicionar|reservar|comprar|pagar|" +
    "registrar|cadastrar",
  attempt: "tentativa",
  rationale: "motivo",
  tally: "falhas|erros",
  and: "e|ou",
  upTo: "a",
};
