import type { Ladder, Policy } from "./schema.ts";
import type { OwnWords } from "./wording/sentences.ts";

const raw = String.raw;

/** What agents call the tool that ends their run. */
const usualDoneTools: readonly string[] = [
  ...(["done", "finish", "submit", "final_answer", "final_result", "StructuredOutput", "attempt_completion"] as const),
  ...(["complete_task", "task_complete", "end_task", "finish_task", "submit_answer", "terminate", "exit"] as const),
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
    "call-cycle:renewed": { nudge: 3, "second-nudge": 5 },
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
    "repeated-message:unheeded": { ...suspected, nudge: 3 },
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
  // The words that its system says; in another language it speaks as every policy does.
  wording: { en: { stopped: raw`I've completed processing but have no new response to give.` } },
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
const stopAtOnce = raw`IMPORTANT: As soon as the goal of your instruction is met (the agent has completed the task), answer '{signal}' as a standalone message, without anything else.
Do not enter into a polite back-and-forth: no "thank you" or "have a great day" after the goal is met. If you have said thank you already, your next message is {signal}.`;

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
  preamble: { text: stopAtOnce, when: "stop-signal" },
};

const actedAlready = {
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
    en: { stopped: raw`⚠️ The same operation was repeated, so the task is ended.` },
    ja: { stopped: raw`⚠️ 同じ操作の繰り返しを検出したため、タスクを終了します。` },
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
