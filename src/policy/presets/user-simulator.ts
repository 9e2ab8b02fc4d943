import type { Policy } from "../policy-type.ts";
import type { Language } from "../wording/wording.ts";
import { bare } from "./bare.ts";

const raw = String.raw;

/** For a model that plays the user and was told to end with a stop signal, which `{signal}` stands for. */
const stopAtOnce: Readonly<Record<Language, string>> = {
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

/** Ends a dialogue that has nothing left but politeness, on whichever side of it the guard stands. */
export const userSimulator: Policy = {
  ...bare,
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
