import type { PlanProgress } from "../../engine/engine.ts";
import type { Step } from "../../step.ts";
import { quotedCalls, quoted } from "./quoted.ts";
import type { Places, SentenceName } from "./sentences.ts";

/** What is told of a plan, beside what is told of any loop. */
export interface PlanFacts {
  readonly grade?: string;
  readonly course?: PlanProgress;
  /** What the judge said to it, where that is still known: the option to try, or its reasons. */
  readonly said?: string | undefined;
  readonly tried?: readonly Step[];
  readonly undone?: readonly Step[];
}

const SAID_MAX = 300;
const ACTIONS_MAX = 6;

/** What was seen of it. */
export function seenOfPlan({ grade, course }: PlanFacts): SentenceName & `seen:${string}` {
  switch (grade) {
    case "met":
      return "seen:met";
    case "cancel":
      return seenOfStuck(course?.why);
    case "revert":
      return "seen:exhausted";
    default:
      return "seen:no-nearer";
  }
}

function seenOfStuck(why: string | undefined): SentenceName & `seen:${string}` {
  switch (why) {
    case "state":
      return "seen:same-state";
    case "falls":
      return "seen:farther";
    case "steps":
      return "seen:plan-steps";
    default:
      return "seen:unreachable";
  }
}

/** What to do about the latest action. */
export function adviceOnAction({ grade, course, said }: PlanFacts): readonly SentenceName[] {
  if (grade === "revert") return [undoing(course?.type), "advice:revert"];
  return [said === undefined ? "advice:options" : "advice:option"];
}

function undoing(type: string | undefined): SentenceName {
  switch (type) {
    case "checkbox":
      return "undo:checkbox";
    case "dialog":
      return "undo:dialog";
    case "text":
      return "undo:text";
    case "menu":
      return "undo:menu";
    case "window":
      return "undo:window";
    default:
      return "undo:other";
  }
}

/** What the planner above has to know of a plan that was given up. */
export function storyOf({ grade, tried: steps = [], undone = [], said }: PlanFacts): readonly SentenceName[] {
  if (grade !== "cancel") return [];
  return [
    ...(steps.length === 0 ? [] : (["tried"] as const)),
    ...(undone.length === 0 ? [] : (["undone"] as const)),
    ...(said === undefined ? [] : (["why"] as const)),
  ];
}

export function placesOfPlan({ course, said, tried: steps = [], undone = [] }: PlanFacts, and: string): Places {
  return {
    before: course?.before ?? "?",
    after: course?.after ?? "?",
    option: quoted(said ?? "", SAID_MAX),
    reason: quoted(said ?? "", SAID_MAX),
    tried: quotedCalls(steps, and, ACTIONS_MAX),
    undone: quotedCalls(undone, and, ACTIONS_MAX),
  };
}
