import { type PlanProgress, type GoalChange, stepKey } from "../engine/engine.ts";
import type { Sign } from "../text/sign.ts";
import type { Conversation } from "../step.ts";
import { coveringTypes, type GoalDecision } from "./next-move.ts";
import { type Cancelled, type History, type Node, stillShows } from "./history.ts";

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
  const score = judged === undefined ? {} : { after: judged.distance };
  const judgedAgo = agoOf(keyOf(judged?.of ?? history.taken, history)) ?? 0;
  switch (decision.kind) {
    case "met":
      return { kind: "met", loop: `met:${goal}`, count: 1, ago: 0, judgedAgo, course: score };
    case "cancel": {
      const { why, count } = decision;
      const said = judged === undefined || why === "state" || why === "steps" ? {} : { said: judged.why };
      const attempts = { tried: agosOf(history.nodes, agoOf), undone: agosOf(history.undone, agoOf) };
      // A plan that is given up for one reason is given up: another reason is no news.
      const loop = `cancel:${goal}`;
      return {
        kind: "cancel",
        loop,
        count: 1,
        ago: 0,
        judgedAgo,
        course: { ...score, why, ...said, ...attempts, times: count },
      };
    }
    case "option": {
      const { option = "" } = decision;
      const node = nodeOf(decision.of, history);
      const course = { ...scoresOf(node), ...(option !== "" && { said: option }) };
      const loop = `option:${node?.key}:${option}`;
      return { kind: "option", loop, count: 1, ago: agoOf(node?.key) ?? 0, judgedAgo, course };
    }
    case "revert": {
      const node = nodeOf(decision.of, history);
      const type = node?.type ?? "other";
      const course: PlanProgress = { ...scoresOf(node), type, ...(stands(node, history) && { stands: true }) };
      return { kind: "revert", loop: `revert:${node?.key}`, count: 1, ago: agoOf(node?.key) ?? 0, judgedAgo, course };
    }
  }
}

/** A plan of which the agent was told; telling it again changes nothing. */
export function withChoice(
  history: History,
  { kind, course, loop }: Pick<GoalChange, "kind" | "course" | "loop">,
): History {
  const { why, said, times: count = 1 } = course;
  if (kind === "cancel" && isReason(why))
    return history.cancelled ? history : { ...history, cancelled: { why, count } };
  if (kind !== "option" && kind !== "revert") return history;
  const { nodes, taken: at } = history;
  const index = nodes.findLastIndex(({ key }) => loop.startsWith(`${kind}:${key}`));
  const node = nodes[index];
  if (node === undefined || nodes.some(({ told: node }) => node?.at === at)) return history;
  const latest = { ...(kind === "option" ? withExplored(node, said) : node), told: { kind, at } };
  return { ...history, nodes: nodes.with(index, latest) };
}

/** With an option among those that were tried. */
function withExplored(node: Node, option: string | undefined): Node {
  const { options, explored } = node;
  const at = option === undefined ? -1 : options.indexOf(option);
  if (option === undefined || at < explored) return node;
  return {
    ...node,
    options: [...options.slice(0, explored), option, ...options.slice(explored).filter((one) => one !== option)],
    explored: explored + 1,
  };
}

function nodeOf(number: number, { nodes }: History): Node | undefined {
  return nodes.find(({ at }) => at === number);
}

function isReason(why: string | undefined): why is Cancelled["why"] {
  return why === "state" || why === "falls" || why === "steps" || why === "unreachable";
}

function scoresOf(node: Node | undefined): PlanProgress {
  return {
    ...(node?.before !== undefined && { before: node.before }),
    ...(node?.after !== undefined && { after: node.after }),
  };
}

/** Nothing has changed since it was judged; nor, unless it covers that, since it was done. */
function stands(node: Node | undefined, history: History): boolean {
  if (node === undefined || history.judged === undefined) return false;
  return stillShows(history, coveringTypes.includes(node.type) ? history.judged.of : node.at);
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
