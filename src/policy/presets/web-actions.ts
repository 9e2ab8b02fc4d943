import type { Policy } from "../policy-type.ts";
import { actedAlready } from "../wording/wording.ts";
import { bare } from "./bare.ts";

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
    en: { stopped: "⚠️ The same operation was repeated, so the task is ended.", recover: "" },
    ja: { stopped: "⚠️ 同じ操作の繰り返しを検出したため、タスクを終了します。", recover: "" },
    zh: { stopped: "⚠️ 检测到重复的操作,因此结束任务。", recover: "" },
    es: { stopped: "⚠️ Se ha repetido la misma operación, así que la tarea termina.", recover: "" },
    de: { stopped: "⚠️ Dieselbe Aktion wurde wiederholt, daher wird die Aufgabe beendet.", recover: "" },
    fr: { stopped: "⚠️ La même opération a été répétée, la tâche est donc terminée.", recover: "" },
    pt: { stopped: "⚠️ A mesma operação foi repetida, por isso a tarefa é encerrada.", recover: "" },
    ko: { stopped: "⚠️ 같은 작업이 반복되어 태스크를 종료합니다.", recover: "" },
  },
  tools: { "*": { empty: "ignored" } },
};
