import type { PlanProgress } from "../../engine/engine.ts";
import type { Step } from "../../step.ts";
import type { Cleaning } from "./clean.ts";
import { quotedCalls, quoted } from "./quoted.ts";
import type { Places, SentenceName } from "./sentences.ts";

/** Facts for a note about a plan, beside those about any loop. */
export interface PlanFacts {
  readonly grade?: string;
  readonly course?: PlanProgress;
  /** What the judge said to it, where that is still known: the option to try, or its reasons. */
  readonly judgeText?: string | undefined;
  readonly tried?: readonly Step[];
  readonly undone?: readonly Step[];
}

const SAID_MAX = 300;
const ACTIONS_MAX = 6;

type SeenSentence = SentenceName & `seen:${string}`;
type ByName<Sentence> = Readonly<Record<string, Sentence>>;

const SEEN: ByName<SeenSentence> = { met: "seen:met", revert: "seen:exhausted" };
const UNDO: ByName<SentenceName> = {
  checkbox: "undo:checkbox",
  dialog: "undo:dialog",
  text: "undo:text",
  menu: "undo:menu",
  window: "undo:window",
};
const STUCK: ByName<SeenSentence> = { state: "seen:same-state", falls: "seen:farther", steps: "seen:plan-steps" };

/** Sentence for what was seen of a plan. */
export function seenOfPlan({ grade = "", course }: PlanFacts): SeenSentence {
  if (grade === "cancel") return STUCK[course?.why ?? ""] ?? "seen:unreachable";
  return SEEN[grade] ?? "seen:no-nearer";
}

/** What to do about the latest action. */
export function adviceOnAction({ grade, course, judgeText }: PlanFacts): readonly SentenceName[] {
  if (grade === "revert") return [UNDO[course?.type ?? ""] ?? "undo:other", "advice:revert"];
  return [judgeText === undefined ? "advice:options" : "advice:option"];
}

/** What the planner above has to know of a plan that was given up. */
export function storyOf({ grade, tried: steps = [], undone = [], judgeText }: PlanFacts): readonly SentenceName[] {
  if (grade !== "cancel") return [];
  return [
    ...(steps.length === 0 ? [] : (["tried"] as const)),
    ...(undone.length === 0 ? [] : (["undone"] as const)),
    ...(judgeText === undefined ? [] : (["why"] as const)),
  ];
}

export function placesOfPlan(facts: PlanFacts, and: string, clean: Cleaning): Places {
  const { course, judgeText, tried: steps = [], undone = [] } = facts;
  return {
    before: course?.before ?? "?",
    after: course?.after ?? "?",
    option: quoted(judgeText ?? "", SAID_MAX, clean),
    reason: quoted(judgeText ?? "", SAID_MAX, clean),
    tried: quotedCalls(steps, and, clean, ACTIONS_MAX),
    undone: quotedCalls(undone, and, clean, ACTIONS_MAX),
  };
}
