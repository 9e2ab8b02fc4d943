import type { Ladder } from "./budget.ts";
import type { Policy } from "./schema.ts";
import type { Language } from "./wording/language.ts";
import type { OwnWords } from "./wording/wording.ts";

const raw = String.raw;

/** What agents call the tool that ends their run. */
const usualDoneTools: readonly string[] = [
  "done",
  "finish",
  "submit",
  "final_answer",
  "final_result",
  "StructuredOutput",
  "attempt_completion",
  "complete_task",
  "task_complete",
  "end_task",
  "finish_task",
  "submit_answer",
  "terminate",
  "exit",
];

export function doneNames({ doneTools = usualDoneTools }: Policy): readonly string[] {
  return doneTools;
}

/** What every preset builds on: no detector has a ladder yet. */
export const bare: Policy = {
  name: "bare",
  ladders: {},
  finalResponseAfterFailure: true,
  intercept: "on",
  runaway: "off",
  finalResponse: "answer",
  language: "auto",
  tools: {},
};

type PresetText = Partial<Policy> & Pick<Policy, "name">;

/** For what needs a judgement: two words, and an end only for a run that has heeded neither. */
const suspected: Ladder = { nudge: 5, "second-nudge": 10, "force-done": 16 };

/** Counts from 1,046 healthy and 79 looping recorded runs: twice is never a loop, three times is worth a word. */
const standard: PresetText = {
  name: "default",
  finalText: "brief",
  ladders: {
    "repeated-call": { nudge: 3, "force-done": 5, "short-circuit": 7 },
    "repeated-call:failing": { nudge: 3, "force-done": 4, "short-circuit": 5 },
    "repeated-call:transient": { nudge: 4, "force-done": 6, "short-circuit": 8 },
    "repeated-call:send": { nudge: 2, "force-done": 3, "short-circuit": 4 },
    "repeated-call:unequal": { ...suspected, nudge: 3 },
    "repeated-call:still": { nudge: 6 },
    "call-cycle": { nudge: 3, "force-done": 4, "short-circuit": 5 },
    "call-cycle:failing": { nudge: 4, "force-done": 6, "short-circuit": 8 },
    "no-progress": { ...suspected, "force-done": 24 },
    "no-progress:failing": { ...suspected, nudge: 3 },
    "consecutive-failures:alike": { ...suspected, nudge: 4 },
    "consecutive-failures:any": { ...suspected, nudge: 6 },
    "unchanged-poll": { nudge: 5, "second-nudge": 10, "force-done": 20, "short-circuit": 30 },
    "storm:agents": { nudge: 24, "force-done": 96, "short-circuit": 300 },
    "storm:compactions": { nudge: 3, "force-done": 5, "short-circuit": 8 },
    "repeated-message": { nudge: 3, "force-done": 4, "short-circuit": 5 },
    "polite-closure": { "short-circuit": 3 },
    "polite-closure:echo": { ...suspected, nudge: 4 },
    "polite-closure:thanks": { ...suspected, nudge: 4 },
    "judged-loop": { nudge: 1, "force-done": 2 },
    "retry-storm": { "short-circuit": 6 },
    "repeated-message:refrain": { nudge: 3 },
    "repeated-message:pushed": { nudge: 4, "force-done": 6, "short-circuit": 8 },
    "repeated-message:reworded": suspected,
    "repeated-message:announcement": { ...suspected, nudge: 4 },
  },
  // Between models a farewell is a whole paragraph; what it says is judged, and three rounds of it are enough.
  detectors: { "polite-closure": { chars: 200 } },
  runaway: { shortLaps: 6, longLaps: 8, leastChars: 150 },
};

/** Ends a run whose turn makes the same calls as the two before it, whatever came back. */
const duplicateCalls: PresetText = {
  name: "duplicate-calls",
  ladders: { "repeated-call": { "short-circuit": 3 } },
  detectors: { "repeated-call": { window: 1, outcome: "any", order: "kept", polls: "count" } },
  finalText: "own-text",
  endTells: "nothing",
  wording: {
    en: { stopped: raw`I've completed processing but have no new response to give.` },
    ja: { stopped: raw`処理は完了しましたが、新しくお伝えすることはありません。` },
    zh: { stopped: raw`处理已完成,但没有新的内容可以回复。` },
    es: { stopped: raw`He terminado el procesamiento, pero no tengo ninguna respuesta nueva que dar.` },
    de: { stopped: raw`Die Verarbeitung ist abgeschlossen, aber es gibt nichts Neues zu sagen.` },
    fr: { stopped: raw`Le traitement est terminé, mais je n'ai pas de nouvelle réponse à donner.` },
    pt: { stopped: raw`O processamento foi concluído, mas não tenho nenhuma resposta nova a dar.` },
    ko: { stopped: raw`처리를 마쳤지만 새로 드릴 답변이 없습니다.` },
  },
  // Other arguments are another call, whatever they are called.
  tools: { "*": { ignore: [] } },
};

/** Preset for planning agents: a goal judge scores each action; what brings the goal nearer is kept, the rest undone, and a hopeless plan cancelled. */
const localPlanning: PresetText = {
  name: "local-planning",
  ladders: {
    "goal-distance:met": { "force-done": 1 },
    "goal-distance:option": { nudge: 1 },
    "goal-distance:revert": { nudge: 1 },
    "goal-distance:cancel": { "force-done": 1 },
  },
  judge: { asks: "goal" },
};

/** In the words of the system that it reproduces. */
const failureWords: OwnWords = {
  en: {
    "seen:index": raw`Action '{tool}' on index {index} was repeated {count} times without success: {calls}.`,
    "seen:failure": raw`You have failed {count} times in a row, the last time with {calls}. Therefore we terminate the agent.`,
  },
  ja: {
    "seen:index": raw`インデックス{index}に対する操作「{tool}」が成功しないまま{count}回繰り返されました: {calls}。`,
    "seen:failure": raw`{count}回連続で失敗しています。最後の呼び出し: {calls}。そのため、エージェントを終了します。`,
  },
  zh: {
    "seen:index": raw`对索引{index}的操作“{tool}”已重复{count}次,均未成功:{calls}。`,
    "seen:failure": raw`已连续失败{count}次,最后一次是{calls}。因此终止智能体。`,
  },
  es: {
    "seen:index": raw`La acción «{tool}» sobre el índice {index} se ha repetido {count} veces sin éxito: {calls}.`,
    "seen:failure": raw`Has fallado {count} veces seguidas, la última con {calls}. Por eso terminamos el agente.`,
  },
  de: {
    "seen:index": raw`Die Aktion „{tool}“ auf Index {index} wurde {count}-mal ohne Erfolg wiederholt: {calls}.`,
    "seen:failure": raw`Du bist {count}-mal in Folge gescheitert, zuletzt mit {calls}. Deshalb beenden wir den Agenten.`,
  },
  fr: {
    "seen:index": raw`L'action « {tool} » sur l'index {index} a été répétée {count} fois sans succès : {calls}.`,
    "seen:failure": raw`Tu as échoué {count} fois de suite, la dernière fois avec {calls}. C'est pourquoi nous arrêtons l'agent.`,
  },
  pt: {
    "seen:index": raw`A ação “{tool}” no índice {index} foi repetida {count} vezes sem sucesso: {calls}.`,
    "seen:failure": raw`Você falhou {count} vezes seguidas, a última com {calls}. Por isso encerramos o agente.`,
  },
  ko: {
    "seen:index": raw`인덱스 {index}에 대한 동작 '{tool}'이(가) 성공하지 못한 채 {count}번 반복되었습니다: {calls}.`,
    "seen:failure": raw`{count}번 연속으로 실패했습니다. 마지막 호출: {calls}. 따라서 에이전트를 종료합니다.`,
  },
};

/** Three failing steps in a row force the run to its end, a fourth ends it; so does the same action on the same index. */
const consecutiveFailuresPreset: PresetText = {
  name: "consecutive-failures",
  ladders: {
    "consecutive-failures:any": { "force-done": 3, "short-circuit": 4 },
    "repeated-call": { "short-circuit": 3 },
    // What fails again and again is the other ladder's: the model gets its final response.
    "repeated-call:failing": {},
    "repeated-call:transient": {},
    "budget:steps": { "short-circuit": 50 },
  },
  detectors: {
    "consecutive-failures": { multi: "reset", least: 1 },
    "repeated-call": { window: 1, outcome: "any-on-target", order: "kept", polls: "count" },
  },
  wording: failureWords,
  doneTools: ["done"],
  tools: { "*": { only: ["index"], denials: "fail" } },
};

/** For a model that plays the user and was told to end with a stop signal, which `{signal}` stands for. */
const stopAtOnce: Readonly<Record<Language, string>> = {
  en: raw`IMPORTANT: As soon as the goal of your instruction is met (the agent has completed the task), answer '{signal}' as a standalone message, without anything else.
Do not enter into a polite back-and-forth: no "thank you" or "have a great day" after the goal is met. If you have said thank you already, your next message is {signal}.`,
  ja: raw`重要: 指示の目的が達成されたら(エージェントがタスクを完了したら)、直ちに「{signal}」だけを単独のメッセージとして返してください。
目的の達成後にお礼や別れの挨拶のやり取りを続けないでください。すでにお礼を述べた場合、次のメッセージは {signal} です。`,
  zh: raw`重要:一旦指令的目标达成(智能体已完成任务),必须立即单独回复“{signal}”,不要附加任何其他内容。
不要陷入礼貌性的来回客套:目标达成后不要再说“谢谢”或“祝您愉快”。如果已经道谢,下一条消息就是 {signal}。`,
  es: raw`IMPORTANTE: En cuanto se cumpla el objetivo de tu instrucción (el agente ha completado la tarea), responde '{signal}' como mensaje único, sin nada más.
No entres en un intercambio de cortesías: nada de «gracias» ni «que tengas un buen día» una vez cumplido el objetivo. Si ya has dado las gracias, tu próximo mensaje es {signal}.`,
  de: raw`WICHTIG: Sobald das Ziel deiner Anweisung erreicht ist (der Agent hat die Aufgabe erledigt), antworte mit '{signal}' als alleiniger Nachricht, ohne etwas anderes.
Lass dich auf kein Hin und Her von Höflichkeiten ein: kein „danke“ oder „einen schönen Tag“, nachdem das Ziel erreicht ist. Hast du schon gedankt, ist deine nächste Nachricht {signal}.`,
  fr: raw`IMPORTANT : dès que le but de ta consigne est atteint (l'agent a terminé la tâche), réponds '{signal}' comme message unique, sans rien d'autre.
N'entre pas dans un échange de politesses : ni « merci » ni « bonne journée » une fois le but atteint. Si tu as déjà remercié, ton prochain message est {signal}.`,
  pt: raw`IMPORTANTE: Assim que o objetivo da sua instrução for alcançado (o agente concluiu a tarefa), responda '{signal}' como mensagem única, sem mais nada.
Não entre em uma troca de gentilezas: nada de “obrigado” ou “tenha um bom dia” depois de alcançado o objetivo. Se você já agradeceu, a sua próxima mensagem é {signal}.`,
  ko: raw`중요: 지시의 목표가 달성되면(에이전트가 작업을 마치면) 즉시 다른 것 없이 '{signal}'만 단독 메시지로 답하십시오.
목표가 달성된 뒤에는 인사치레를 주고받지 마십시오: "감사합니다"나 "좋은 하루 되세요"를 더 말하지 않습니다. 이미 감사를 말했다면 다음 메시지는 {signal}입니다.`,
};

/** Ends a dialogue that has nothing left but politeness, on whichever side of it the guard stands. */
const userSimulator: PresetText = {
  name: "user-simulator",
  ladders: {
    "polite-closure": { "short-circuit": 2 },
    "repeated-message:similar": { "short-circuit": 3 },
    "repeated-message:heard": { "short-circuit": 3 },
    "repeated-message:exchange": { "short-circuit": 3 },
    "budget:steps": { "short-circuit": 30 },
  },
  stopSignal: "###STOP###",
  wording: {
    en: { closed: raw`This conversation is complete. Goodbye!` },
    ja: { closed: raw`この会話はこれで終了です。ありがとうございました。` },
    zh: { closed: raw`本次对话已正常结束,再见!` },
    es: { closed: raw`Esta conversación ha terminado. ¡Hasta luego!` },
    de: { closed: raw`Dieses Gespräch ist abgeschlossen. Auf Wiedersehen!` },
    fr: { closed: raw`Cette conversation est terminée. Au revoir !` },
    pt: { closed: raw`Esta conversa está encerrada. Até logo!` },
    ko: { closed: raw`이 대화는 마무리되었습니다. 안녕히 계세요!` },
  },
  preamble: { text: stopAtOnce, when: "stop-signal" },
};

/** Look at what was done before acting. */
const actedAlready: Readonly<Record<Language, string>> = {
  en: raw`Before every action, check the conversation history in detail and establish:
- the actions already done: what was entered into which element, which buttons were clicked, which pages were opened;
- the fields already filled in, and with which values;
- the stage that the task has reached.
Never repeat the same action on the same element with the same value. If it has been done already, go on to the next step.`,
  ja: raw`アクションを実行する前に、必ず会話履歴を詳細に確認し、次の点を把握してください。
- 実行済みのアクション: どの要素に何を入力したか、どのボタンをクリックしたか、どのページに遷移したか
- 入力済みのフィールドとその値
- タスクがどの段階まで完了しているか
同じ要素に同じ値を入力するなど、同じアクションを絶対に繰り返さないでください。実行済みの場合は次のステップに進んでください。`,
  zh: raw`执行任何操作之前,必须仔细查看对话历史,并确认:
- 已执行的操作:在哪个元素中输入了什么、点击了哪些按钮、打开了哪些页面;
- 已填写的字段及其内容;
- 任务目前进行到哪个阶段。
绝不要对同一元素以同样的值重复同样的操作。如果已经执行过,请进入下一步。`,
  es: raw`Antes de cada acción, revisa con detalle el historial de la conversación y determina:
- las acciones ya realizadas: qué se introdujo en qué elemento, qué botones se pulsaron, qué páginas se abrieron;
- los campos ya rellenados y con qué valores;
- la etapa a la que ha llegado la tarea.
Nunca repitas la misma acción sobre el mismo elemento con el mismo valor. Si ya se ha hecho, pasa al paso siguiente.`,
  de: raw`Prüfe vor jeder Aktion den Gesprächsverlauf genau und stelle fest:
- die schon ausgeführten Aktionen: was in welches Element eingegeben, welche Schaltflächen angeklickt, welche Seiten geöffnet wurden;
- die schon ausgefüllten Felder und ihre Werte;
- den Stand, den die Aufgabe erreicht hat.
Wiederhole nie dieselbe Aktion am selben Element mit demselben Wert. Ist sie schon ausgeführt, geh zum nächsten Schritt.`,
  fr: raw`Avant chaque action, vérifie en détail l'historique de la conversation et établis :
- les actions déjà faites : ce qui a été saisi dans quel élément, quels boutons ont été cliqués, quelles pages ont été ouvertes ;
- les champs déjà remplis et leurs valeurs ;
- l'étape que la tâche a atteinte.
Ne répète jamais la même action sur le même élément avec la même valeur. Si elle a déjà été faite, passe à l'étape suivante.`,
  pt: raw`Antes de cada ação, verifique em detalhe o histórico da conversa e determine:
- as ações já feitas: o que foi digitado em qual elemento, quais botões foram clicados, quais páginas foram abertas;
- os campos já preenchidos e com quais valores;
- a etapa que a tarefa atingiu.
Nunca repita a mesma ação no mesmo elemento com o mesmo valor. Se ela já foi feita, vá para o próximo passo.`,
  ko: raw`동작을 하기 전에 반드시 대화 기록을 자세히 확인하고 다음을 파악하십시오:
- 이미 실행한 동작: 어떤 요소에 무엇을 입력했는지, 어떤 버튼을 클릭했는지, 어떤 페이지를 열었는지;
- 이미 채운 입력란과 그 값;
- 작업이 도달한 단계.
같은 요소에 같은 값으로 같은 동작을 절대 반복하지 마십시오. 이미 실행했다면 다음 단계로 가십시오.`,
};

/** Ends a browser agent that does the same on the same page again: the third time within reach, or under one explanation. */
const webActions: PresetText = {
  name: "web-actions",
  ladders: {
    "repeated-call": { "short-circuit": 3 },
    "repeated-message:explanation": { "short-circuit": 3 },
  },
  detectors: {
    "repeated-call": {
      window: 5,
      anchor: "repeat",
      gapPenalty: 0,
      outcome: "page",
      order: "kept",
      changes: "ignore",
      polls: "count",
    },
  },
  preamble: { text: actedAlready },
  finalText: "brief",
  endTells: "nothing",
  wording: {
    en: { stopped: "⚠️ The same operation was repeated, so the task is ended." },
    ja: { stopped: "⚠️ 同じ操作の繰り返しを検出したため、タスクを終了します。" },
    zh: { stopped: "⚠️ 检测到重复的操作,因此结束任务。" },
    es: { stopped: "⚠️ Se ha repetido la misma operación, así que la tarea termina." },
    de: { stopped: "⚠️ Dieselbe Aktion wurde wiederholt, daher wird die Aufgabe beendet." },
    fr: { stopped: "⚠️ La même opération a été répétée, la tâche est donc terminée." },
    pt: { stopped: "⚠️ A mesma operação foi repetida, por isso a tarefa é encerrada." },
    ko: { stopped: "⚠️ 같은 작업이 반복되어 태스크를 종료합니다." },
  },
  tools: { "*": { empty: "ignored" } },
};

const presets: readonly Policy[] = [
  ...[standard, webActions, userSimulator, localPlanning, consecutiveFailuresPreset, duplicateCalls],
].map((own) => ({ ...bare, ...own }));

/** Names of the policies that are shipped, `default` first. */
export const presetNames: readonly string[] = presets.map((preset) => preset.name);

/** The preset of this name. */
export function presetNamed(name: string): Policy | undefined {
  return presets.find((preset) => preset.name === name);
}
