import { stepKey } from "../../engine/engine.ts";
import type { Conversation } from "../../step.ts";
import { advanceBy } from "./advance.ts";
import { emptyLedger, type EvaluationContext, type Ledger } from "./ledger.ts";

/** A ledger to go on from, and the index of the first step that it has not counted. */
interface ResumePoint {
  readonly ledger: Ledger;
  readonly next: number;
}

export function resumePoint(
  ledger: Ledger | undefined,
  conversation: Conversation,
  evaluation: EvaluationContext,
): ResumePoint {
  if (ledger === undefined) return { ledger: emptyLedger(conversation, evaluation), next: 0 };
  const { steps } = conversation;
  if (evaluation.goesOnAt !== undefined && steps.length > 0) return goesOn(ledger, evaluation.goesOnAt, evaluation);
  // A prompt that is written anew each time, and tells no step, is the first one of a run.
  if (steps.length === 0) return conversation.isUntold ? afresh(ledger, conversation, evaluation) : { ledger, next: 0 };
  const last = ledger.window.at(-1);
  const expected = steps[ledger.carried - 1];
  if (last !== undefined && expected !== undefined && stepKey(expected, evaluation.sign) === last.key)
    return { ledger, next: ledger.carried };
  const keys = steps.map((step) => stepKey(step, evaluation.sign));
  // Of a history that was shortened to its last step, the same request again is no new beginning.
  const isAgain = keys.length === 1 && keys[0] === ledger.pending?.fingerprint.key;
  if (ledger.carried === 0 && isAgain) return { ledger, next: 0 };
  const overlap = afterOverlap(ledger, keys);
  // The beginning is there and the end is not: the client went back to an earlier turn. The history tells it all.
  if (overlap === 0 && keys[0] !== undefined && keys[0] === ledger.root)
    return afresh(ledger, conversation, evaluation);
  if (overlap > 0) return { ledger: { ...ledger, carried: overlap, root: keys[0] }, next: overlap };
  return unlinked(ledger, keys, evaluation);
}

/** A request that names the answer it goes on from: its first step is that one, whatever others look like. */
function goesOn(ledger: Ledger, at: number, evaluation: EvaluationContext): ResumePoint {
  const { pending, total } = ledger;
  // An earlier answer is gone on from in another way: what came of it is known.
  if (at < total) return { ledger: { ...ledger, carried: 1, root: undefined }, next: 1 };
  const isAgain = at === total && pending !== undefined;
  const settled = isAgain || pending === undefined ? ledger : advanceBy(ledger, pending, evaluation);
  return { ledger: { ...settled, carried: 0, root: undefined }, next: 0 };
}

/** An empty ledger of the same names, and with the advice of judges, who have seen the same steps. */
function afresh(
  { name, budgetKey, advice }: Ledger,
  conversation: Conversation,
  evaluation: EvaluationContext,
): ResumePoint {
  const known = {
    ...(name !== undefined && { name }),
    ...(budgetKey !== undefined && { budgetKey }),
    ...(advice && { advice }),
  };
  return { ledger: { ...emptyLedger(conversation, evaluation), ...known }, next: 0 };
}

/** A history that leaves out what was counted last: shortened, another conversation's, or the newest turn alone. */
function unlinked(record: Ledger, keys: readonly string[], evaluation: EvaluationContext): ResumePoint {
  const { pending } = record;
  const again = pending === undefined ? -1 : keys.indexOf(pending.fingerprint.key);
  const isRetry = again === record.carried && (record.root === undefined || keys[0] === record.root);
  if (isRetry) return { ledger: record, next: again };
  const root = record.root === undefined ? undefined : keys[0];
  if (again >= 0) return { ledger: { ...record, carried: again, root }, next: again };
  const next = afterLastKnown(record, keys);
  const ledger = pending === undefined || next > 0 ? record : advanceBy(record, pending, evaluation);
  return { ledger: { ...ledger, carried: next, root }, next };
}

/** Where the histories agree longest, the latest of equals; 0 when the thread's last counted step is not there. */
function afterOverlap(ledger: Ledger, keys: readonly string[]): number {
  let best = { length: 0, next: 0 };
  for (let end = keys.length - 1; end >= 0; end--) {
    let length = 0;
    while (length <= end && ledger.window.length > length && keys[end - length] === ledger.window.at(-1 - length)?.key)
      length++;
    // Turns without ids may fit in several places. A request's last step is new, unless it was sent late.
    const leavesLast = end === keys.length - 2 && length === end + 1;
    if (length > best.length || leavesLast) best = { length, next: end + 1 };
  }
  return best.next;
}

/** Two conversations under one name take turns: what either has told before is not told again. 0: all is new. */
function afterLastKnown(ledger: Ledger, keys: readonly string[]): number {
  const newKeys = new Set(ledger.window.map((fingerprint) => fingerprint.key));
  return keys.findLastIndex((key) => newKeys.has(key)) + 1;
}
