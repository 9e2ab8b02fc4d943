import { fingerprintOf, isNews, type Fingerprint, stepKey, type ToolRules } from "../engine/engine.ts";
import type { Sign } from "../text/sign.ts";
import type { ActionType, Planning } from "../policy/policy.ts";
import type { Conversation, Step } from "../step.ts";
import { actionTypeOf, goalWords, outcomeTextOf } from "./action-type.ts";

/** A step as a plan sees it. */
export interface Move {
  readonly key: string;
  readonly tool: string;
  readonly act: string;
  readonly type: ActionType;
  /** Signature of what it shows; empty where it shows nothing, or failed. */
  readonly state: string;
  /** What is done, as `wordsIn` gives it. Never kept. */
  readonly words: string;
}

export interface MoveTerms {
  readonly sign: Sign;
  readonly planning: Planning;
  readonly tools: ToolRules;
}

/** Steps that are looked back on, where nothing is known of them. */
const REACH = 64;

/** What the run is for: what a user said that is more than "go on", and the index of the first step after it. */
export function taskOf(
  { opening, steps }: Conversation,
  { task }: Pick<Planning, "task">,
): { readonly text: string; readonly from: number } {
  const at = task === "first" ? -1 : steps.findLastIndex(({ heard }) => heard.some(isNews));
  const said = at === -1 ? opening : (steps[at]?.heard ?? []);
  return { text: said.findLast(isNews) ?? "", from: at + 1 };
}

/**
 * The steps for a task that are not known yet, oldest first; those that nothing has come back for are left out.
 * @param known keys of the steps that are known, oldest first
 */
export function movesSince(
  known: readonly string[],
  { steps }: Conversation,
  from: number,
  terms: MoveTerms,
): readonly Move[] {
  const last = known.at(-1);
  const first = Math.max(from, steps.length - REACH);
  const at =
    last === undefined ? -1 : steps.findLastIndex((step, i) => i >= first && stepKey(step, terms.sign) === last);
  // After a history was shortened the steps between plan and history are unknown: only the newest step is sure to be new.
  const next = at >= 0 ? at + 1 : last === undefined ? first : Math.max(from, steps.length - 1);
  return steps.slice(next).flatMap((step, i) => (isAnswered(step) ? [moveOf(step, steps[next + i - 1], terms)] : []));
}

/** Something was done, and what came of it is known. */
export function isAnswered({ calls }: Step): boolean {
  return calls.length > 0 && calls.every(({ outcome }) => outcome !== undefined);
}

function moveOf(step: Step, previous: Step | undefined, { sign, planning, tools }: MoveTerms): Move {
  const fingerprint = fingerprintOf(step, sign, tools, new Set());
  const before = previous === undefined ? "" : shownBy(previous, planning);
  return {
    key: fingerprint.key,
    tool: fingerprint.calls[0]?.tool ?? "",
    act: fingerprint.callsHash,
    type: onlyLooks(fingerprint) ? "look" : actionTypeOf(step, { shown: shownBy(step, planning), before }, planning),
    state: stateOf(fingerprint, step, { sign, planning }),
    words: step.calls.map(({ tool, args }) => goalWords(`${tool} ${args.slice(0, 2_000)}`)).join("|"),
  };
}

function onlyLooks({ calls }: Fingerprint): boolean {
  return calls.every(({ kind }) => kind === "think" || kind === "plan" || kind === "poll");
}

/** What a step shows: what came back, and what was told after it where that belongs to it. */
export function shownBy(step: Step, { task }: Pick<Planning, "task">): string {
  return [outcomeTextOf(step), ...(task === "first" ? step.heard : [])].join("\n");
}

function stateOf(
  fingerprint: Fingerprint,
  step: Step,
  { sign, planning }: Pick<MoveTerms, "sign" | "planning">,
): string {
  if (planning.task === "first" && step.heard.length > 0)
    return sign(`state\u0000${fingerprint.outcomesHash}+${fingerprint.heardHashes.join("+")}`);
  if (!showsState(fingerprint, step)) return "";
  // Several actions have led to the one state that such a prompt shows.
  return showsOneState(step) ? (fingerprint.calls[0]?.outcome?.hash ?? "") : fingerprint.outcomesHash;
}

function showsOneState({ calls }: Step): boolean {
  return calls.every(({ outcome }) => outcome === calls[0]?.outcome);
}

/** Whether an outcome shows a state: "ok" or an error does not, a dialog with an OK button does. */
function showsState({ calls }: Fingerprint, step: Step): boolean {
  const weights = calls.map(({ outcome }) => (outcome === undefined || outcome.failed ? "nothing" : outcome.weight));
  if (weights.includes("informative")) return true;
  return (
    weights.includes("acknowledgement") && goalWords(outcomeTextOf(step).slice(0, 2_000)).split(" ").length > SHORT
  );
}

/** Words of an acknowledgement that tells nothing else, and the ends before and after them. */
const SHORT = 8;
