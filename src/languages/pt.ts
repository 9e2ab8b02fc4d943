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
  through: words`a|até|ao`,
  all: words`todos os|todas as|os|as`,
  doing: words`
    execut(?:a|ar|e|em)|rode|roda|rodar|repita|repete|repetir|clique|clicar|aperte|verifique|verificar|verifica|cheque|checar|
    (?<!(?:o|um|este|esse|do|cada|de) )teste|testar|chame|chamar|envie|enviar|meça|medir|tente|tentar|faça|fazer|atualize|atualizar|recarregue|recarregar|
    consulte|consultar|lance|lançar|monitore|monitorar|olhe|corra|correr`,
  numbers: words`d[ou][ia]s|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|quinze|vinte|trinta|cinquenta|cem`,
  times: words`vezes|execuções|iterações|rodadas|repetições`,
  endless: words`
    repetidamente|sem parar|em loop|continuamente|de novo e de novo|(?:algumas |várias )?(?:dúzias|dezenas) de vezes|muitas vezes|
    a?\s?cada (?:\d{1,3} |cinco |dez )?(?:segundos?|minutos?|horas?)|
    durante (?:a próxima |as próximas |os próximos |uma |uns )?(?:\d{1,3} |cinco |dez )?(?:segundos?|minutos?|horas?)`,
  until: words`até que|até (?=\p{L}{2,12}[aei]r(?!\p{L}))`,
  failing: words`falh\p{L}*|erro\p{L}*`,
};
