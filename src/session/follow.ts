import { isNews, type Sign, stepKey } from "../engine/engine.ts";
import type { Conversation, Step } from "../step.ts";
import { advanceBy, take } from "./advance.ts";
import { emptyLedger, type Intervention, type Judge, type Ledger, type Taken } from "./ledger.ts";

/** An intervention whose step a request carries. */
export interface Placed {
  readonly intervention: Intervention;
  /** Index of that step in the request's conversation. */
  readonly step: number;
  /** Index of the step it speaks about; that step itself where the one it means is gone from the history. */
  readonly about: number;
}

/** A request's conversation, joined with what was known of its thread. */
export interface Followed {
  /** To be saved. Undefined when nothing is new. */
  readonly save: Ledger | undefined;
  /** What the last step led to, if anything. */
  readonly now: Placed | undefined;
  /** Earlier interventions that this request still carries the steps of. */
  readonly earlier: readonly Placed[];
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
  let pending: Taken | undefined;
  for (const [i, step] of steps.slice(next).entries()) {
    if (pending !== undefined) settled = advanceBy(settled, pending, judge);
    pending = take(settled, step, i === 0 ? judgeOfFirst(known?.pending, step, judge) : judge);
  }
  const tip = pending === undefined ? settled : advanceBy(settled, pending, judge);
  const here = placedIn(steps, tip, judge.sign);
  return {
    save: toSave(known, settled, pending),
    now: here.find(({ step }) => step === steps.length - 1),
    earlier: here.filter(({ step }) => step < steps.length - 1),
    total: tip.total,
  };
}

/** A step told again is judged by what its session had spent when it was told first. */
function judgeOfFirst(told: Taken | undefined, step: Step, judge: Judge): Judge {
  if (told === undefined || told.print.key !== stepKey(step, judge.sign)) return judge;
  return { ...judge, elsewhere: told.elsewhere ?? 0 };
}

function placedIn(steps: readonly Step[], tip: Ledger, sign: Sign): readonly Placed[] {
  const offset = tip.total - steps.length;
  return tip.interventions.flatMap((intervention) => {
    const at = intervention.at - offset;
    const step = steps[at];
    if (step === undefined || stepKey(step, sign) !== intervention.key) return [];
    const about = intervention.about - offset;
    return [{ intervention, step: at, about: about < 0 ? at : about }];
  });
}

function toSave(known: Ledger | undefined, settled: Ledger, pending: Taken | undefined): Ledger | undefined {
  if (pending === undefined) return settled === known ? undefined : settled;
  if (settled === known && known.pending !== undefined && isSame(known.pending, pending)) return undefined;
  return { ...settled, pending };
}

function isSame({ print: a }: Taken, { print: b }: Taken): boolean {
  return a.key === b.key && a.out === b.out && a.heardSigs.join() === b.heardSigs.join();
}

/** The ledger to go on from, and the index of the first step it has not counted. */
function resume(known: Ledger | undefined, conversation: Conversation, judge: Judge): { ledger: Ledger; next: number } {
  const afresh = { ledger: emptyLedger(conversation, judge), next: 0 };
  if (known === undefined) return afresh;
  const { steps } = conversation;
  if (steps.length === 0) return { ledger: known, next: 0 };
  const last = known.window.at(-1);
  const expected = steps[known.carried - 1];
  if (last !== undefined && expected !== undefined && stepKey(expected, judge.sign) === last.key)
    return { ledger: known, next: known.carried };
  const keys = steps.map((step) => stepKey(step, judge.sign));
  const overlap = afterOverlap(known, keys);
  // The beginning is there and the end is not: the client went back to an earlier turn. The history tells it all.
  if (overlap === 0 && keys[0] !== undefined && keys[0] === known.root) return afresh;
  if (overlap > 0) return { ledger: { ...known, carried: overlap, root: keys[0] }, next: overlap };
  return unlinked(known, keys, judge);
}

/** A history that leaves out what was counted last: shortened, another conversation's, or the newest turn alone. */
function unlinked(known: Ledger, keys: readonly string[], judge: Judge): { ledger: Ledger; next: number } {
  const { pending } = known;
  const again = pending === undefined ? -1 : keys.indexOf(pending.print.key);
  const isRetry = again === known.carried && (known.root === undefined || keys[0] === known.root);
  if (isRetry) return { ledger: known, next: again };
  const root = known.root === undefined ? undefined : keys[0];
  if (again >= 0) return { ledger: { ...known, carried: again, root }, next: again };
  const next = afterLastKnown(known, keys);
  const ledger = pending === undefined || next > 0 ? known : advanceBy(known, pending, judge);
  return { ledger: { ...ledger, carried: next, root }, next };
}

/** Where the histories agree longest, the latest of equals; 0 when the thread's last counted step is not there. */
function afterOverlap(known: Ledger, keys: readonly string[]): number {
  let best = { length: 0, next: 0 };
  for (let end = keys.length - 1; end >= 0; end--) {
    let length = 0;
    while (length <= end && known.window.length > length && keys[end - length] === known.window.at(-1 - length)?.key)
      length++;
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
