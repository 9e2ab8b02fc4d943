import { isNews, type Sign, stepKey } from "../engine/engine.ts";
import type { Conversation, Step } from "../step.ts";
import { advance, emptyLedger, type Intervention, type Judge, type Ledger } from "./ledger.ts";

/** A request's conversation, joined with what was known of its thread. */
export interface Followed {
  /** To be saved: everything but the last step, which may still change. Undefined when nothing is new. */
  readonly save: Ledger | undefined;
  /** What the last step led to, if anything. */
  readonly now: Intervention | undefined;
  /** Earlier interventions whose step this request still carries, with that step's index in the conversation. */
  readonly earlier: readonly { readonly intervention: Intervention; readonly step: number }[];
  /** Steps of the thread, this request's last one included. */
  readonly total: number;
}

/**
 * Appends to a thread what its newest request adds, and judges the last step. A pure function of its arguments:
 * the same request again gives the same answer, and with no ledger at all the history alone is judged.
 */
export function follow(known: Ledger | undefined, conversation: Conversation, judge: Judge): Followed {
  const { steps } = conversation;
  const { ledger, next } = resume(known, conversation, judge);
  let settled = ledger;
  for (const step of steps.slice(next, -1)) settled = advance(settled, step, judge);
  const last = steps.at(-1);
  const tip = last === undefined || next >= steps.length ? settled : advance(settled, last, judge);
  const offset = tip.total - steps.length;
  const here = tip.interventions
    .map((intervention) => ({ intervention, step: intervention.at - offset }))
    .filter(({ intervention, step }) => isAt(intervention, steps[step], judge.sign));
  return {
    save: settled === known || settled.total === 0 ? undefined : settled,
    now: here.find(({ step }) => step === steps.length - 1)?.intervention,
    earlier: here.filter(({ step }) => step < steps.length - 1),
    total: tip.total,
  };
}

function isAt(intervention: Intervention, step: Step | undefined, sign: Sign): boolean {
  return step !== undefined && stepKey(step, sign) === intervention.key;
}

/** The ledger to go on from, and the index of the first step it has not seen. */
function resume(known: Ledger | undefined, conversation: Conversation, judge: Judge): { ledger: Ledger; next: number } {
  const afresh = { ledger: emptyLedger(conversation, judge), next: 0 };
  if (known === undefined) return afresh;
  const { steps } = conversation;
  const last = known.window.at(-1);
  const expected = steps[known.carried - 1];
  if (last === undefined) return afresh;
  if (expected !== undefined && stepKey(expected, judge.sign) === last.key)
    return { ledger: known, next: known.carried };
  const keys = steps.map((step) => stepKey(step, judge.sign));
  const overlap = afterOverlap(known, keys);
  // The beginning is there and the end is not: the client went back to an earlier turn. The history tells it all.
  if (overlap === 0 && keys[0] === known.root) return afresh;
  const next = overlap === 0 ? afterLastKnown(known, keys) : overlap;
  return { ledger: { ...known, carried: next, root: keys[0] }, next };
}

/** Where the histories agree longest, the latest of equals; 0 when the thread's last known step is not there. */
function afterOverlap(known: Ledger, keys: readonly string[]): number {
  let best = { length: 0, next: 0 };
  for (let end = keys.length - 1; end >= 0; end--) {
    let length = 0;
    while (length <= end && keys[end - length] === known.window.at(-1 - length)?.key) length++;
    // Turns without ids may fit in several places. A request's last step is new, unless it was sent late.
    const leavesLast = end === keys.length - 2 && length === end + 1;
    if (length > best.length || leavesLast) best = { length, next: end + 1 };
  }
  return best.next;
}

/** Two conversations under one name take turns: what either has told before is not told again. 0: all is new. */
function afterLastKnown(known: Ledger, keys: readonly string[]): number {
  const told = new Set(known.window.map((print) => print.key));
  return keys.findLastIndex((key) => told.has(key)) + 1;
}

/** What the agent was last asked to do, as of a step: the last thing a user said that is more than "go on". */
export function taskAt({ opening, steps }: Conversation, at: number): string {
  const said = [...opening, ...steps.slice(0, at).flatMap((step) => step.heard)];
  return said.findLast((text) => isNews(text)) ?? "";
}
