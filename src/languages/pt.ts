import { type LanguageWords, words } from "./language.ts";

export const portuguese: LanguageWords = {
  code: "pt",
  failureOpening: words`erro|falha`,
  denial: words`não|nenhuma?|impossível|inválid[oa]|falhou`,
  fault: words`erros?|falhas?`,
  negation: words`nenhuma?|não|sem`,
  announcing: words`vou|deixe-me`,
  actLabel: words`comando|a[cç][aã]o`,
  goOn: words`prossiga|continue`,
  farewell: words`
    (?:muito )?obrigad[oa]|de nada|por nada|disponha|tchau|até (?:logo|breve|mais|amanhã|a próxima)|abraços?|prazer|
    (?:bom|boa|ótim[oa]) (?:dia|tarde|noite|semana|fim de semana)`,
  courtesy: words`você|vocês|também|igualmente|pela|pelo|por|sua|ajuda|e|muito|com|para|tudo|um|uma|o|a|tenha|que|foi|meu`,
  writeVerb: words`criar|escrever|salvar|excluir|atualizar|editar|reservar`,
  tally: words`falhas|erros`,
  and: words`e|ou`,
  through: words`a|até|ao`,
  all: words`todos os|todas as|[ao]s`,
  doing: words`
    execut(?:a|e)\p{L}*|rod(?:e|ar?)|repita|repetir|clique|clicar|aperte|verifi(?:que|car?)|cheque|checar|
    (?<!(?:o|um|este|esse|do|cada|de) )teste|testar|chame|chamar|envie|enviar|meça|tente|tentar|faça|fazer|
    atuali(?:ze|zar)|recarregue|recarregar|consulte|consultar|monitore|monitorar|olhe`,
  numbers: words`d[ou][ia]s|três|quatro|cinco|seis|sete|oito|nove|dez|vinte|cinquenta|cem`,
  times: words`vezes|execuções|iterações|rodadas`,
  endless: words`
    repetidamente|sem parar|em loop|continuamente|de novo e de novo|(?:dúzias|dezenas) de vezes|muitas vezes|
    a?\s?cada (?:\d{1,3} |cinco |dez )?(?:segundos?|minutos?|horas?)|
    durante (?:a próxima |os próximos |uma )?(?:\d{1,3} |dez )?(?:segundos?|minutos?|horas?)`,
  until: words`até que|até (?=\p{L}{2,12}[aei]r(?!\p{L}))`,
  failing: words`falh\p{L}*|erro\p{L}*`,
};
