import type { Policy } from "../policy-type.ts";
import type { Language } from "../wording/wording.ts";
import { bare } from "./bare.ts";

const raw = String.raw;

/** Look at what was done before acting. */
const actedAlready: Readonly<Record<Language, string>> = {
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

/** Ends a browser agent that does the same on the same page again: the third time within reach, or under one explanation. */
export const webActions: Policy = {
  ...bare,
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
