import type { Planning } from "../policy/policy.ts";
import { type Cancelled, type History, type Judged, stillShows } from "./history.ts";

/** Decision about the latest action. */
export type GoalDecision =
  /** The goal is reached. */
  | { readonly kind: "met" }
  /** It stays, and the plan goes on from where it led. */
  | { readonly kind: "retain"; readonly why: "progress" | "slight" | "unjudged" | "told" | "unsure" | "moved" }
  /** It stays, and this is tried next. */
  | { readonly kind: "option"; readonly option: string }
  | { readonly kind: "revert" }
  /** The plan is given up. */
  | ({ readonly kind: "cancel" } & Cancelled);

/** A judgement of a state that lies further back than this is out of date. In steps. */
const LAG = 2;

/** Pure: the table of what is kept, tried, undone and given up. */
export function decideOnGoal(history: History, planning: Planning): GoalDecision {
  const judged = upToDate(history);
  if (judged?.met === true) return { kind: "met" };
  if (history.cancelled !== undefined) return { kind: "cancel", ...history.cancelled };
  return stuck(history, planning, judged) ?? decideOnTop(history, planning, judged);
}

function decideOnTop(history: History, planning: Planning, judged: Judged | undefined): GoalDecision {
  const top = history.nodes.at(-1);
  if (top?.before === undefined || top.after === undefined || judged === undefined || judged.of < top.at)
    return { kind: "retain", why: "unjudged" };
  // What it was told shows in what it does next, and that has not been judged yet.
  if (top.told !== undefined && judged.of <= top.told.at) return { kind: "retain", why: "told" };
  const progress = top.after - top.before;
  if (progress > planning.progress) return { kind: "retain", why: "progress" };
  if (progress > 0) return { kind: "retain", why: "slight" };
  if (!judged.tellsOptions) return { kind: "retain", why: "unsure" };
  // Something else was done before it was judged: that may turn out to be the better way, so it gets to be judged once.
  const first = top.told === undefined ? top.at : top.told.at + 1;
  if (judged.of === first && judged.of < history.taken && !stillShows(history, judged.of))
    return { kind: "retain", why: "moved" };
  const option = top.options[top.explored];
  return option === undefined ? { kind: "revert" } : { kind: "option", option };
}

function stuck(history: History, planning: Planning, judged: Judged | undefined): GoalDecision | undefined {
  const { acts, falls } = history;
  const same = timesSeen(history);
  if (same >= planning.sameState) return { kind: "cancel", why: "state", count: same };
  if (judged !== undefined && falls >= planning.falls) return { kind: "cancel", why: "falls", count: falls };
  if (acts >= planning.maxSteps) return { kind: "cancel", why: "steps", count: acts };
  return judged?.reachable === false ? { kind: "cancel", why: "unreachable", count: 1 } : undefined;
}

/** How many times the latest state was seen, undone actions left out. */
function timesSeen({ nodes }: History): number {
  const latest = nodes.at(-1)?.seen.at(-1);
  return latest === undefined ? 0 : nodes.flatMap(({ seen }) => seen).filter((state) => state === latest).length;
}

function upToDate({ judged, taken }: History): Judged | undefined {
  return judged !== undefined && taken - judged.of <= LAG ? judged : undefined;
}
