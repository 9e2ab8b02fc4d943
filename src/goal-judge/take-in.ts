import type { Sign } from "../text/sign.ts";
import type { ActionType } from "../policy/policy.ts";
import type { Conversation } from "../step.ts";
import { type History, MAX_KEYS, MAX_NODES, MAX_UNDONE, type Node, noHistory } from "./history.ts";
import { type Move, type MoveTerms, movesSince, taskOf } from "./moves.ts";
import { hasPhrase } from "./action-type.ts";

/** States that one action is remembered to have led to. */
const MAX_SEEN = 16;

/**
 * A plan with what its newest request adds. Pure, and idempotent: the same request again adds nothing. A new task begins
 * a new plan.
 */
export function takeIn(known: History | undefined, conversation: Conversation, terms: MoveTerms): History {
  const { text, from } = taskOf(conversation, terms.planning);
  const goal = goalOf(text, terms.sign);
  const history = known?.goal === goal ? known : noHistory(goal);
  return movesSince(history.keys, conversation, from, terms).reduce(withMove, history);
}

function goalOf(task: string, sign: Sign): string {
  return sign(`goal\u0000${task}`);
}

function withMove(before: History, move: Move): History {
  const history = {
    ...before,
    taken: before.taken + 1,
    looks: move.type === "look" ? before.looks + 1 : 0,
    keys: [...before.keys, move.key].slice(-MAX_KEYS),
    shown: [...before.shown, move.state].slice(-MAX_KEYS),
    state: move.state === "" ? before.state : move.state,
  };
  if (move.type === "look") return withLook(history, move);
  const acted = { ...history, acts: before.acts + 1, unseen: move.state === "" };
  const undone = undoneBy(move, { nodes: history.nodes, taken: history.taken - before.looks });
  return undone === -1 ? withNode(acted, move, before.state) : withoutFrom(acted, undone);
}

/** What an action led to may show only when one looks. */
function withLook(history: History, { state }: Move): History {
  const top = history.nodes.at(-1);
  if (top === undefined || state === "") return history;
  const seen = history.unseen ? seenWith(top, state) : top.seen;
  return { ...withTop(history, { ...top, stateAfter: state, seen }), unseen: false };
}

/** It brought nothing, so what is done next is another try from the same place. */
export function isStalled({ before, after }: Node): boolean {
  return before !== undefined && after !== undefined && after <= before;
}

function withNode(history: History, move: Move, stateBefore: string): History {
  const { key, tool, act, type, state } = move;
  const { taken: at, distance } = history;
  const top = history.nodes.at(-1);
  // What could be tried there can be tried here, as far as it was not.
  const { options, explored } = top !== undefined && isStalled(top) ? top : { options: [], explored: 0 };
  const node: Node = {
    ...{ at, key, tool, act, type, stateBefore, stateAfter: state },
    ...(distance === undefined ? {} : { before: distance }),
    ...{ options, explored, seen: state === "" ? [] : [state], reverted: false },
  };
  return { ...history, nodes: [...history.nodes, node].slice(-MAX_NODES) };
}

function withTop(history: History, top: Node): History {
  return { ...history, nodes: [...history.nodes.slice(0, -1), top] };
}

/** What was done after it, in the dialog that it had opened say, is undone with it. */
function withoutFrom(history: History, index: number): History {
  const undone = history.nodes.slice(index);
  const [first] = undone;
  return {
    ...history,
    nodes: history.nodes.slice(0, index),
    undone: [...history.undone, ...undone.map((node) => ({ ...node, reverted: true }))].slice(-MAX_UNDONE),
    ...(first?.before === undefined ? {} : { distance: first.before }),
    state: history.unseen ? (first?.stateBefore ?? "") : history.state,
  };
}

/** The node that a move undoes, with all above it (looks before the move are not counted in `taken`); -1 where it undoes none. Some go back further than they were told. */
function undoneBy(move: Move, { nodes, taken }: Pick<History, "nodes" | "taken">): number {
  const index = nodes.findLastIndex(({ told }) => told?.kind === "revert");
  const node = nodes[index];
  if (node === undefined) return -1;
  if (isUndoneBy(move, node, taken)) return index;
  if (move.state === "") return -1;
  const from = nodes.findLastIndex((one, i) => i <= index && !isStalled(one)) + 1;
  return nodes.findLastIndex(({ stateBefore }, i) => i >= from && i < index && stateBefore === move.state);
}

/** Only after the agent was told to: one that goes back and forth by itself is going in circles. */
function isUndoneBy(move: Move, { told, stateBefore, type, act }: Node, number: number): boolean {
  if (told?.kind !== "revert") return false;
  if (move.state !== "" && move.state === stateBefore) return true;
  if (number > told.at + 1) return false;
  return type === "checkbox" ? move.act === act : undoing[type].some((phrase) => hasPhrase(move.words, phrase));
}

/** What one does to undo it; nothing where only the state tells. */
const undoing: Readonly<Record<ActionType, readonly string[]>> = {
  checkbox: [],
  dialog: ["cancel", "close", "dismiss", "escape", "esc", "キャンセル", "閉じる", "取消", "关闭"],
  text: ["clear", "delete", "backspace", "ctrl a", "control a", "select all"],
  menu: ["escape", "esc", "close"],
  window: ["close", "alt f4", "escape", "quit"],
  look: [],
  other: [],
};

function seenWith({ seen }: Node, state: string): readonly string[] {
  return [...seen, state].slice(-MAX_SEEN);
}

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
