import { type LanguageWords, words } from "./language.ts";

export const portuguese: LanguageWords = {
  code: "pt",
  failureOpening: words`erro|falha`,
  denial: words`não|nenhum[a]?|impossível|inválid[oa]|esgotado|expirou|falhou|recusad[oa]|recusou`,
  fault: words`erros?|falhas?|falhou`,
  negation: words`nenhuma?|não|sem`,
  announcing: words`vou|deixe-me`,
  goOn: words`prossiga|continue`,
  writeVerb: words`
    criar|escrever|guardar|salvar|eliminar|excluir|atualizar|editar|substituir|adicionar|reservar|comprar|pagar|
    registrar|cadastrar`,
  tally: words`falhas|erros`,
  and: words`e|ou`,
};
