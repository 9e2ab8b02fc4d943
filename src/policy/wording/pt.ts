import type { Sentences } from "./en.ts";

export const portugueseSentences: Sentences = {
  and: " e ",

  "seen:call": "Você fez a mesma chamada {count} vezes com o mesmo resultado: {calls}.",
  "seen:any-call": "Você fez a mesma chamada {count} vezes: {calls}.",
  "seen:index": "A ação “{tool}” no índice {index} foi repetida {count} vezes sem sucesso: {calls}.",
  "seen:foreseen": "Você ia fazer o mesmo outra vez, e seria a vez número {count}: {calls}.",
  "seen:failure": "{count} tentativas deste tipo falharam: {calls}.",
  "seen:failures": "Você falhou {count} vezes seguidas, a última com {calls}.",
  "seen:cycle":
    "Você está andando em círculos: {count} voltas das mesmas chamadas com os mesmos resultados, a última {calls}.",
  "seen:answer": "{count} chamadas diferentes trouxeram a mesma resposta, a última {calls}.",
  "seen:poll": "Você verificou {count} vezes e nada mudou: {calls}.",
  "seen:message": "Você enviou {count} vezes a mesma mensagem, ou anunciou algo sem fazer.",
  "seen:similar": "Você enviou {count} mensagens semelhantes seguidas.",
  "seen:heard": "Disseram-lhe quase o mesmo {count} vezes seguidas.",
  "seen:exchange": "Os dois lados voltaram a dizer o mesmo por {count} rodadas.",
  "seen:explanation": "Você deu a mesma explicação por {count} turnos seguidos, a última vez para {calls}.",
  "seen:no-call": "Você falou por {count} turnos sem chamar nenhuma ferramenta.",
  "seen:closure": "Há {count} rodadas os dois lados apenas se despedem.",
  "seen:steps": "Esta execução deu {count} dos seus {limit} passos.",
  "seen:tokens": "Esta execução usou {count} dos seus {limit} tokens.",
  "seen:cost": "Esta execução gastou {count} dos {limit} que pode custar.",
  "seen:seconds": "Esta execução já dura {count} dos seus {limit} segundos.",
  "seen:retries": "O mesmo pedido veio {count} vezes em {seconds} segundos, sem que o histórico avançasse.",
  "seen:novelty": "{count} das suas últimas chamadas trouxeram o que você já sabia, a última {calls}.",
  "seen:circles": "Seus últimos passos andam em círculos e não trazem nada de novo, o último {calls}.",
  "seen:circles-of-talk": "Suas últimas mensagens andam em círculos: repetem o que já foi dito.",
  "seen:agents": "Você iniciou {count} subagentes, mais a cada turno.",
  "seen:compactions": "O histórico foi compactado {count} vezes seguidas, e nada foi alterado nesse meio-tempo.",
  "seen:met": "O objetivo foi alcançado: o estado foi avaliado em {after} de 10.",
  "seen:no-nearer":
    "{calls} não aproximou você do objetivo (avaliado em {before} antes e {after} de 10 agora), mas nem tudo foi tentado a partir daí.",
  "seen:exhausted":
    "{calls} não aproximou você do objetivo (avaliado em {before} antes e {after} de 10 agora), e tudo foi tentado a partir daí.",
  "seen:same-state": "O mesmo estado apareceu {count} vezes.",
  "seen:farther": "Você se afastou do objetivo {count} vezes seguidas; a última avaliação é {after} de 10.",
  "seen:plan-steps": "Este plano usou {count} ações sem alcançar o objetivo.",
  "seen:unreachable": "O objetivo não pode ser alcançado a partir daqui.",

  "advice:call":
    "Fazer isso de novo não trará nada novo. Use o resultado que você tem para o próximo passo, ou tente outra abordagem.",
  "advice:failure":
    "A mesma tentativa falhará de novo. Leia o erro e mude o que ele aponta, ou chegue ao objetivo por outro caminho.",
  "advice:cycle": "Outra volta terminará como esta. Decida com o que você viu, ou faça algo que ainda não tentou.",
  "advice:answer":
    "É pouco provável que outras variações mudem isso. Aceite a resposta como é, ou procure em outro lugar.",
  "advice:poll-longer":
    "Espere na própria chamada: dê a {argument} um valor maior, como {value}, ou siga com algo que não dependa disso.",
  "advice:poll": "Espere bem mais antes de verificar de novo, ou siga com algo que não dependa disso.",
  "advice:message": "Aja agora com uma chamada de ferramenta, ou dê a sua resposta final.",
  "advice:closure": "Encerre a conversa agora, ou diga o que ainda falta.",
  "advice:steps": "Termine em breve: faça só o mais importante, ou conclua com o que você tem.",
  "advice:retries": "Pedir o mesmo outra vez não ajudará: espere, mude o pedido, ou conclua com o que você tem.",
  "advice:novelty": "Anote o que você sabe e aja de acordo, ou veja algo que ainda não viu.",
  "advice:agents": "Não inicie mais: leia o que eles trouxeram, ou faça você mesmo o que falta.",
  "advice:compactions":
    "Altere algo agora com o que você sabe, em passos pequenos e com saídas curtas, ou conclua com o que você tem.",
  "advice:fallback": "Em vez disso, faça isto: {fallback}.",
  "advice:option": "Continue nisso e tente agora isto: {option}.",
  "advice:options": "Continue nisso e tente ali algo que você não tentou, ou decida que não resta nada.",
  "advice:revert": "Depois siga outro caminho a partir dali.",
  "undo:checkbox": "Desfaça: clique mais uma vez no mesmo lugar, para que volte ao estado anterior.",
  "undo:dialog": "Desfaça: clique em “Cancelar” ou “Fechar” na caixa de diálogo.",
  "undo:text": "Desfaça: limpe o campo (Ctrl+A, Delete).",
  "undo:menu": "Desfaça: pressione Esc ou clique fora, para que o menu se feche.",
  "undo:window": "Desfaça: feche a janela (X ou Alt+F4).",
  "undo:other":
    "Desfaça: não há uma forma padrão, então compare o estado atual com o anterior e encontre o caminho de volta.",

  came: "Voltou (citação): {outcome}.",
  intended: "Se isso é intencional, continue.",
  "answer-now": "As ferramentas não estão mais disponíveis. Dê a sua resposta final agora.",
  "call-now":
    "Só “{doneTool}” ainda está disponível: é a sua única ferramenta, e nenhuma das outras que você vê no histórico ou em exemplos pode ser chamada. Chame-a agora. Se a tarefa não estiver totalmente concluída como foi pedida, diga isso (success=false onde for perguntado), senão success=true.",
  terminated: "Por isso encerramos o agente.",
  include: "Inclua tudo o que você descobriu até agora, e diga o que falta e por quê.",
  tried: "Tentado: {tried}.",
  undone: "Desfeito: {undone}.",
  why: "Por que não leva ao objetivo: {reason}.",
  success:
    "Informe que está feito (success=true onde for perguntado), com o resultado. Se você sabe que falta algo, diga isso.",
  cancelled: "O plano foi abandonado: informe que não está feito (success=false onde for perguntado).",
  task: "A tarefa era: {task}",
  stopped: "Esta execução foi interrompida porque andava em círculos.",
  closed: "Esta conversa está encerrada. Até logo!",
  "stopped:talk":
    "Esta conversa chegou ao fim: nada de novo estava sendo dito. Com uma nova mensagem ela pode continuar.",
  "stopped:budget": "Esta execução foi interrompida porque o seu orçamento se esgotou.",
  "stopped:plan": "Este plano foi cancelado porque não leva ao objetivo.",
  "stopped:operator": "Esta execução foi interrompida por um operador. Motivo: {reason}",
  "recover:budget":
    "A tarefa talvez não esteja concluída. Ela pode continuar em uma nova sessão ou com um orçamento maior.",
  recover: "A tarefa talvez não esteja concluída. Com uma nova instrução ela pode continuar.",
  "nothing-new": "O processamento foi concluído, mas não tenho nenhuma resposta nova a dar.",
};
