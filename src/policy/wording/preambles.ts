import { raw } from "./raw.ts";
import type { Language } from "./language.ts";

/** For agents that act on pages: look at what was done before acting. */
export const actedAlready: Readonly<Record<Language, string>> = {
  en: [
    "Before every action, check the conversation history in detail and establish:",
    "- the actions already done: what was entered into which element, which buttons were clicked, which pages were opened;",
    "- the fields already filled in, and with which values;",
    "- the stage that the task has reached.",
    "Never repeat the same action on the same element with the same value. If it has been done already, go on to the next step.",
  ].join("\n"),
  ja: [
    raw`アクションを実行する前に、必ず会話履歴を詳細に確認し、次の点を把握してください。`,
    raw`- 実行済みのアクション: どの要素に何を入力したか、どのボタンをクリックしたか、どのページに遷移したか`,
    raw`- 入力済みのフィールドとその値`,
    raw`- タスクがどの段階まで完了しているか`,
    raw`同じ要素に同じ値を入力するなど、同じアクションを絶対に繰り返さないでください。実行済みの場合は次のステップに進んでください。`,
  ].join("\n"),
  zh: [
    raw`执行任何操作之前,必须仔细查看对话历史,并确认:`,
    raw`- 已执行的操作:在哪个元素中输入了什么、点击了哪些按钮、打开了哪些页面;`,
    raw`- 已填写的字段及其内容;`,
    raw`- 任务目前进行到哪个阶段。`,
    raw`绝不要对同一元素以同样的值重复同样的操作。如果已经执行过,请进入下一步。`,
  ].join("\n"),
  es: [
    raw`Antes de cada acción, revisa con detalle el historial de la conversación y determina:`,
    raw`- las acciones ya realizadas: qué se introdujo en qué elemento, qué botones se pulsaron, qué páginas se abrieron;`,
    raw`- los campos ya rellenados y con qué valores;`,
    "- la etapa a la que ha llegado la tarea.",
    raw`Nunca repitas la misma acción sobre el mismo elemento con el mismo valor. Si ya se ha hecho, pasa al paso siguiente.`,
  ].join("\n"),
  de: [
    raw`Prüfe vor jeder Aktion den Gesprächsverlauf genau und stelle fest:`,
    raw`- die schon ausgeführten Aktionen: was in welches Element eingegeben, welche Schaltflächen angeklickt, welche Seiten geöffnet wurden;`,
    raw`- die schon ausgefüllten Felder und ihre Werte;`,
    "- den Stand, den die Aufgabe erreicht hat.",
    raw`Wiederhole nie dieselbe Aktion am selben Element mit demselben Wert. Ist sie schon ausgeführt, geh zum nächsten Schritt.`,
  ].join("\n"),
  fr: [
    raw`Avant chaque action, vérifie en détail l'historique de la conversation et établis :`,
    raw`- les actions déjà faites : ce qui a été saisi dans quel élément, quels boutons ont été cliqués, quelles pages ont été ouvertes ;`,
    raw`- les champs déjà remplis et leurs valeurs ;`,
    raw`- l'étape que la tâche a atteinte.`,
    raw`Ne répète jamais la même action sur le même élément avec la même valeur. Si elle a déjà été faite, passe à l'étape suivante.`,
  ].join("\n"),
  pt: [
    raw`Antes de cada ação, verifique em detalhe o histórico da conversa e determine:`,
    raw`- as ações já feitas: o que foi digitado em qual elemento, quais botões foram clicados, quais páginas foram abertas;`,
    raw`- os campos já preenchidos e com quais valores;`,
    "- a etapa que a tarefa atingiu.",
    raw`Nunca repita a mesma ação no mesmo elemento com o mesmo valor. Se ela já foi feita, vá para o próximo passo.`,
  ].join("\n"),
  ko: [
    raw`동작을 하기 전에 반드시 대화 기록을 자세히 확인하고 다음을 파악하십시오:`,
    raw`- 이미 실행한 동작: 어떤 요소에 무엇을 입력했는지, 어떤 버튼을 클릭했는지, 어떤 페이지를 열었는지;`,
    raw`- 이미 채운 입력란과 그 값;`,
    raw`- 작업이 도달한 단계.`,
    raw`같은 요소에 같은 값으로 같은 동작을 절대 반복하지 마십시오. 이미 실행했다면 다음 단계로 가십시오.`,
  ].join("\n"),
};

/** For a model that plays the user and was told to end with a stop signal, which raw`{signal}` stands for. */
export const stopAtOnce: Readonly<Record<Language, string>> = {
  en: [
    "IMPORTANT: As soon as the goal of your instruction is met (the agent has completed the task), answer '{signal}' as a standalone message, without anything else.",
    'Do not enter into a polite back-and-forth: no "thank you" or "have a great day" after the goal is met. If you have said thank you already, your next message is {signal}.',
  ].join("\n"),
  ja: [
    raw`重要: 指示の目的が達成されたら(エージェントがタスクを完了したら)、直ちに「{signal}」だけを単独のメッセージとして返してください。`,
    raw`目的の達成後にお礼や別れの挨拶のやり取りを続けないでください。すでにお礼を述べた場合、次のメッセージは {signal} です。`,
  ].join("\n"),
  zh: [
    raw`重要:一旦指令的目标达成(智能体已完成任务),必须立即单独回复“{signal}”,不要附加任何其他内容。`,
    raw`不要陷入礼貌性的来回客套:目标达成后不要再说“谢谢”或“祝您愉快”。如果已经道谢,下一条消息就是 {signal}。`,
  ].join("\n"),
  es: [
    raw`IMPORTANTE: En cuanto se cumpla el objetivo de tu instrucción (el agente ha completado la tarea), responde '{signal}' como mensaje único, sin nada más.`,
    raw`No entres en un intercambio de cortesías: nada de «gracias» ni «que tengas un buen día» una vez cumplido el objetivo. Si ya has dado las gracias, tu próximo mensaje es {signal}.`,
  ].join("\n"),
  de: [
    "WICHTIG: Sobald das Ziel deiner Anweisung erreicht ist (der Agent hat die Aufgabe erledigt), antworte mit '{signal}' als alleiniger Nachricht, ohne etwas anderes.",
    raw`Lass dich auf kein Hin und Her von Höflichkeiten ein: kein „danke“ oder „einen schönen Tag“, nachdem das Ziel erreicht ist. Hast du schon gedankt, ist deine nächste Nachricht {signal}.`,
  ].join("\n"),
  fr: [
    raw`IMPORTANT : dès que le but de ta consigne est atteint (l'agent a terminé la tâche), réponds '{signal}' comme message unique, sans rien d'autre.`,
    raw`N'entre pas dans un échange de politesses : ni « merci » ni « bonne journée » une fois le but atteint. Si tu as déjà remercié, ton prochain message est {signal}.`,
  ].join("\n"),
  pt: [
    raw`IMPORTANTE: Assim que o objetivo da sua instrução for alcançado (o agente concluiu a tarefa), responda '{signal}' como mensagem única, sem mais nada.`,
    raw`Não entre em uma troca de gentilezas: nada de “obrigado” ou “tenha um bom dia” depois de alcançado o objetivo. Se você já agradeceu, a sua próxima mensagem é {signal}.`,
  ].join("\n"),
  ko: [
    raw`중요: 지시의 목표가 달성되면(에이전트가 작업을 마치면) 즉시 다른 것 없이 '{signal}'만 단독 메시지로 답하십시오.`,
    raw`목표가 달성된 뒤에는 인사치레를 주고받지 마십시오: "감사합니다"나 "좋은 하루 되세요"를 더 말하지 않습니다. 이미 감사를 말했다면 다음 메시지는 {signal}입니다.`,
  ].join("\n"),
};
