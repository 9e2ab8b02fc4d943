import type { History, Node } from "./history.ts";

/** What a judge has said of the state after one step, with its texts as signatures. */
export interface GoalJudgement {
  /** Key of that step. */
  readonly key: string;
  /** From 0 (far) to 10 (reached). */
  readonly distance: number;
  /** The same before the last action, where the judge says so. */
  readonly before: number | undefined;
  readonly met: boolean;
  readonly reachable: boolean;
  /** What has not been tried from here; undefined where the judge does not say. */
  readonly open: readonly string[] | undefined;
  readonly why: string;
}

/** What can be tried from one place, at most: a judge that always thinks of something new comes to an end. */
const MAX_OPTIONS = 8;

/** A plan with a judgement taken in; as it is for a step that is not its own, or that has been judged. */
export function withJudgement(history: History, judgement: GoalJudgement): History {
  const of = numberOf(judgement.key, history);
  if (of === undefined || of <= (history.judged?.of ?? 0)) return history;
  const { distance, met, reachable, open, why } = judgement;
  const falls = history.distance !== undefined && distance < history.distance ? history.falls + 1 : 0;
  const owner = history.nodes.findLastIndex(({ at }) => at <= of);
  const nodes = history.nodes.map((node, i) => {
    if (i === owner) return scored(node, judgement);
    return i === owner + 1 ? { ...node, before: distance } : node;
  });
  const judged = { of, distance, met, reachable, tellsOptions: open !== undefined, why };
  return { ...history, nodes, distance, falls, judged };
}

function numberOf(key: string, { keys, taken }: History): number | undefined {
  const index = keys.lastIndexOf(key);
  return index === -1 ? undefined : taken - (keys.length - 1 - index);
}

function scored(node: Node, { distance, before, open }: GoalJudgement): Node {
  const known = node.before ?? before;
  const after = { ...node, after: distance, ...(known === undefined ? {} : { before: known }) };
  return open === undefined ? after : { ...after, ...explored(node, open) };
}

/** What was suggested counts as tried, whatever the judge says later: it is not suggested twice. */
function explored(node: Node, open: readonly string[]): Pick<Node, "options" | "explored"> {
  const all = [...new Set([...node.options, ...open])].slice(0, MAX_OPTIONS);
  const before = new Set(node.options.slice(0, node.explored));
  const isTried = (option: string) => before.has(option) || !open.includes(option);
  const tried = all.filter(isTried);
  return { options: [...tried, ...all.filter((option) => !isTried(option))], explored: tried.length };
}
