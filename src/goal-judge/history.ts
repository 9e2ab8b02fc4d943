import type { ActionType } from "../policy/policy.ts";

/** An action that may be undone, with what was tried from where it led. Holds no text of the conversation. */
export interface Node {
  /** Number of its step, from 1. */
  readonly at: number;
  readonly key: string;
  readonly tool: string;
  /** Signature of what it did. */
  readonly act: string;
  readonly type: ActionType;
  /** Signatures of what was shown before it and is shown by now; empty where nothing was. */
  readonly stateBefore: string;
  readonly stateAfter: string;
  /** How near the goal was, from 0 (far) to 10 (reached), before it and by now; missing until it is judged. */
  readonly before?: number;
  readonly after?: number;
  /** Signatures of what can be tried from here: the `explored` ones first, then those that have not been tried. */
  readonly options: readonly string[];
  readonly explored: number;
  /** The states that it and all that was tried from it have led to. */
  readonly seen: readonly string[];
  /** What the agent was told of it last, and how many steps there were by then. */
  readonly told?: { readonly kind: "option" | "revert"; readonly at: number };
  readonly reverted: boolean;
}

/** What a judge has said of the state after a step. */
export interface Judged {
  /** Number of that step. */
  readonly of: number;
  readonly distance: number;
  readonly met: boolean;
  readonly reachable: boolean;
  /** Whether it said what can still be tried; if not, nothing is known to be exhausted. */
  readonly tellsOptions: boolean;
  /** Signature of its reasons. */
  readonly why: string;
}

/** A plan so far: the stack of what was done for one task. Plain JSON, bounded. */
export interface History {
  /** Signature of the task: another one is another plan. */
  readonly goal: string;
  /** Steps so far, and those of them that act. */
  readonly taken: number;
  readonly acts: number;
  /** The latest steps in a row that only look, whatever they bring: nothing is changed by them. */
  readonly looks: number;
  /** Keys of the latest steps, oldest first, and signatures of what each has shown; empty where it showed nothing. */
  readonly keys: readonly string[];
  readonly shown: readonly string[];
  /** The last one is the latest that stands. */
  readonly nodes: readonly Node[];
  readonly undone: readonly Node[];
  /** Signature of what is shown by now; empty where that is not known. */
  readonly state: string;
  /** The latest action has not shown what it led to. */
  readonly unseen: boolean;
  /** The latest score. */
  readonly distance?: number;
  /** How often in a row it has fallen. */
  readonly falls: number;
  readonly judged?: Judged;
  /** The agent was told that it leads nowhere: then it stays given up. */
  readonly cancelled?: Cancelled;
}

/** Why a plan leads nowhere, and how often what makes it so was seen. */
export interface Cancelled {
  readonly why: "state" | "falls" | "steps" | "unreachable";
  readonly count: number;
}

export const MAX_KEYS = 64;
export const MAX_NODES = 32;
export const MAX_UNDONE = 8;

export function noHistory(goal: string): History {
  return {
    goal,
    taken: 0,
    acts: 0,
    looks: 0,
    keys: [],
    shown: [],
    nodes: [],
    undone: [],
    state: "",
    unseen: false,
    falls: 0,
  };
}

/** Whether nothing but looking was done after this step. */
export function onlyLooksSince({ looks, taken }: History, of: number): boolean {
  return taken - of <= looks;
}

/** Whether nothing has changed since: nothing was done, or all steps from this one on have shown one and the same state. */
export function stillShows(history: History, from: number): boolean {
  if (onlyLooksSince(history, from)) return true;
  const { shown, taken } = history;
  const since = shown.slice(-(taken - from + 1));
  return since[0] !== "" && since.every((state) => state === since[0]);
}

/** Whether a stored value is one; deep enough that a damaged one cannot break a request. */
export function isHistory(value: unknown): value is History {
  if (typeof value !== "object" || value === null) return false;
  const { goal, taken, acts, looks, falls, keys, shown, nodes, undone } = value as Partial<History>;
  return (
    typeof goal === "string" &&
    [taken, acts, looks, falls].every((count) => typeof count === "number" && count >= 0) &&
    Array.isArray(keys) &&
    Array.isArray(shown) &&
    [nodes, undone].every((some) => Array.isArray(some) && some.every(isNode))
  );
}

function isNode(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { at, options, seen } = value as Partial<Node>;
  return typeof at === "number" && Array.isArray(options) && Array.isArray(seen);
}
