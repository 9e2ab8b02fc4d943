import type { ActionType, Planning } from "../policy/policy.ts";
import { type Cancelled, type History, type Judged, type Node, onlyLooksSince, stillShows } from "./history.ts";
import { isStalled } from "./take-in.ts";

/** Decision about the latest action that was judged. */
export type GoalDecision =
  /** The goal is reached. */
  | { readonly kind: "met" }
  /** It stays, and the plan goes on from where it led. */
  | { readonly kind: "retain"; readonly why: "progress" | "slight" | "unjudged" | "told" | "moved" }
  /** It stays, and this is tried next; undefined where the judge names nothing. @property of number of the action */
  | { readonly kind: "option"; readonly option: string | undefined; readonly of: number }
  | { readonly kind: "revert"; readonly of: number }
  /** The plan is given up. */
  | ({ readonly kind: "cancel" } & Cancelled);

/** A judgement of a state that lies further back than this is out of date. In steps; those that only look at the newest do not count. */
const LAG = 2;
/** Further tries from one place, where the judge does not say what is left. */
const UNNAMED_TRIES = 2;

/** Pure: the table of what is kept, tried, undone and given up. */
export function decideOnGoal(history: History, planning: Planning): GoalDecision {
  const judged = upToDate(history);
  if (judged?.met === true) return { kind: "met" };
  if (history.cancelled !== undefined) return { kind: "cancel", ...history.cancelled };
  return stuck(history, planning, judged) ?? decideOnAction(history, planning, judged);
}

function decideOnAction(history: History, planning: Planning, judged: Judged | undefined): GoalDecision {
  const { nodes, taken } = history;
  const index = judged === undefined ? -1 : nodes.findLastIndex(({ at }) => at <= judged.of);
  const node = nodes[index];
  if (judged === undefined || node?.before === undefined || node.after === undefined)
    return { kind: "retain", why: "unjudged" };
  // What it was told shows in what it does next, and that has not been judged yet.
  const toldAt = Math.max(0, ...nodes.map(({ told }) => told?.at ?? 0));
  if (judged.of <= toldAt || (toldAt > 0 && onlyLooksSince(history, toldAt))) return { kind: "retain", why: "told" };
  const progress = node.after - node.before;
  if (progress > planning.progress) return { kind: "retain", why: "progress" };
  if (progress > 0) return { kind: "retain", why: "slight" };
  // Something else was done before it was judged: that may turn out to be the better way, so it gets to be judged once.
  const before = nodes[index - 1];
  const isSecond = before !== undefined && isStalled(before) && before.at > toldAt;
  if (judged.of < taken && !isSecond && !stillShows(history, judged.of)) return { kind: "retain", why: "moved" };
  return next(history, index, judged);
}

function next({ nodes }: History, index: number, { tellsOptions }: Judged): GoalDecision {
  const of = nodes[index]?.at ?? 0;
  const tried = new Set(nodes.flatMap(({ options, explored }) => options.slice(0, explored)));
  const option = nodes[index]?.options.find((one) => !tried.has(one));
  if (option !== undefined) return { kind: "option", option, of };
  const row = stalledRow(nodes, index);
  const tries = row.filter(({ told }) => told !== undefined).length;
  if (!tellsOptions && tries < UNNAMED_TRIES) return { kind: "option", option: undefined, of };
  const covering = row.findLast((node, i) => covers(node, row.slice(i + 1)));
  return { kind: "revert", of: (covering ?? tryingFrom(row))?.at ?? of };
}

/** What was suggested after an action is a try from where that has led: with the action it is undone. */
function tryingFrom(row: readonly Node[]): Node | undefined {
  return row[row.findLastIndex((_, i) => row[i - 1]?.told?.kind !== "option")];
}

/** The latest actions that have brought nothing, up to this one. */
function stalledRow(nodes: readonly Node[], index: number): readonly Node[] {
  const from = nodes.findLastIndex((node, i) => i <= index && !isStalled(node));
  return nodes.slice(from + 1, index + 1);
}

/** What is done in a dialog, a menu or a window is gone with it. */
export const coveringTypes: readonly ActionType[] = ["dialog", "menu", "window"];

/** It is still open: nothing that was done since has led back to where it was opened. */
function covers({ type, stateBefore }: Node, since: readonly Node[]): boolean {
  return (
    coveringTypes.includes(type) && !since.some(({ stateAfter }) => stateAfter !== "" && stateAfter === stateBefore)
  );
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

function upToDate(history: History): Judged | undefined {
  const { judged, taken, looks } = history;
  return judged !== undefined && taken - looks - judged.of <= LAG ? judged : undefined;
}

/** Whether the goal judge is due for the newest step. @param near a loop may be about to close, so every step counts */
export function isDue({ taken, judged, keys }: History, lastKey: string, every: number, near: boolean): boolean {
  if (keys.at(-1) !== lastKey) return false;
  const since = taken - (judged?.of ?? 0);
  return since > 0 && (near || judged === undefined || since >= every);
}
