import { type Course, type GoalChange, type Sign, stepKey } from "../engine/engine.ts";
import type { ActionType } from "../policy/policy.ts";
import type { Conversation } from "../step.ts";
import type { GoalDecision } from "./decide.ts";
import { type Cancelled, type History, type Node, stillShows } from "./history.ts";
import { withTop } from "./take-in.ts";

/** Actions that a cancelled plan tells of. */
const MAX_TOLD = 6;

/** What a decision says to the agent; undefined where everything stays as it is. */
export function goalChangeOf(
  decision: GoalDecision,
  history: History,
  conversation: Conversation,
  sign: Sign,
): GoalChange | undefined {
  if (decision.kind === "retain") return undefined;
  const agoOf = (key: string | undefined) => stepsAgo(key, conversation, sign);
  const { goal, judged } = history;
  const top = history.nodes.at(-1);
  const score = judged === undefined ? {} : { after: judged.distance };
  const judgedAgo = agoOf(keyOf(judged?.of ?? history.taken, history)) ?? 0;
  switch (decision.kind) {
    case "met":
      return { kind: "met", loop: `met:${goal}`, count: 1, ago: 0, judgedAgo, course: score };
    case "cancel": {
      const { why, count } = decision;
      const said = judged === undefined || why === "state" || why === "steps" ? {} : { said: judged.why };
      const told = { tried: agosOf(history.nodes, agoOf), undone: agosOf(history.undone, agoOf) };
      // A plan that is given up for one reason is given up: another reason is no news.
      const loop = `cancel:${goal}`;
      return {
        kind: "cancel",
        loop,
        count: 1,
        ago: 0,
        judgedAgo,
        course: { ...score, why, ...said, ...told, times: count },
      };
    }
    case "option": {
      const loop = `option:${top?.key}:${decision.option}`;
      const course = { ...scoresOf(top), said: decision.option };
      return { kind: "option", loop, count: 1, ago: agoOf(top?.key) ?? 0, judgedAgo, course };
    }
    case "revert": {
      const course: Course = { ...scoresOf(top), type: top?.type ?? "other", ...(stands(history) && { stands: true }) };
      return { kind: "revert", loop: `revert:${top?.key}`, count: 1, ago: agoOf(top?.key) ?? 0, judgedAgo, course };
    }
  }
}

/** A plan of which the agent was told; telling it again changes nothing. */
export function withTold(history: History, { kind, course }: Pick<GoalChange, "kind" | "course">): History {
  const top = history.nodes.at(-1);
  const { why, times: count = 1 } = course;
  if (kind === "cancel" && isReason(why))
    return history.cancelled ? history : { ...history, cancelled: { why, count } };
  if ((kind !== "option" && kind !== "revert") || top === undefined || top.told?.at === history.taken) return history;
  const explored = kind === "option" ? Math.min(top.explored + 1, top.options.length) : top.explored;
  return withTop(history, { ...top, explored, told: { kind, at: history.taken } });
}

function isReason(why: string | undefined): why is Cancelled["why"] {
  return why === "state" || why === "falls" || why === "steps" || why === "unreachable";
}

function scoresOf(node: Node | undefined): Course {
  return {
    ...(node?.before !== undefined && { before: node.before }),
    ...(node?.after !== undefined && { after: node.after }),
  };
}

/** What is done in a dialog, a menu or a window is gone with it. */
const covering: readonly ActionType[] = ["dialog", "menu", "window"];

/** Nothing has changed since it was judged; nor, unless it covers that, since it was done. */
function stands(history: History): boolean {
  const top = history.nodes.at(-1);
  if (top === undefined || history.judged === undefined) return false;
  return stillShows(history, covering.includes(top.type) ? history.judged.of : top.at);
}

function keyOf(number: number, { keys, taken }: History): string | undefined {
  return keys[keys.length - 1 - (taken - number)];
}

function agosOf(nodes: readonly Node[], agoOf: (key: string) => number | undefined): readonly number[] {
  return nodes.slice(-MAX_TOLD).flatMap(({ key }) => agoOf(key) ?? []);
}

/** Undefined for a step that the history does not carry any more. */
function stepsAgo(key: string | undefined, { steps }: Conversation, sign: Sign): number | undefined {
  const index = key === undefined ? -1 : steps.findLastIndex((step) => stepKey(step, sign) === key);
  return index === -1 ? undefined : steps.length - 1 - index;
}
