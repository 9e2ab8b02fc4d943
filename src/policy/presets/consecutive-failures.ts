import type { Policy } from "../policy-type.ts";
import type { OwnWords } from "../wording/wording.ts";
import { bare } from "./bare.ts";

const raw = String.raw;

const wording: OwnWords = {
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
export const consecutiveFailuresPreset: Policy = {
  ...bare,
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
  wording,
  doneTools: ["done"],
  tools: { "*": { only: ["index"], denials: "fail" } },
};
