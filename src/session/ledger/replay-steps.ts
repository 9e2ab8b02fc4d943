import { noMemory } from "../../policy/policy.ts";
import type { Conversation } from "../../step.ts";
import { advance, advanceBy } from "./advance.ts";
import { emptyLedger, type EvaluationContext, type Intervention, type Ledger, type StepRecord } from "./ledger.ts";
import type { Fingerprint } from "../../engine/engine.ts";

/** Judges a conversation step by step, as if each had just come. */
export function replayConversation(conversation: Conversation, evaluation: EvaluationContext): Replayed {
  const empty = emptyLedger(conversation, evaluation);
  return replay(empty, conversation.steps, (ledger, step) => advance(ledger, step, evaluation));
}

/** Judges the steps in a thread's window anew, as they were fingerprinted. What came before is not known any more, nor are budgets and arrivals. */
export function replayWindow(ledger: Ledger, evaluation: EvaluationContext): readonly Intervention[] {
  const { pending, ...counted } = ledger;
  const records = ledger.window.map((fingerprint): StepRecord => ({ fingerprint, prefix: "" }));
  const total = ledger.total - ledger.window.length;
  const start: Ledger = { ...counted, total, since: total, window: [], memory: noMemory, interventions: [] };
  const all = pending === undefined ? records : [...records, pending];
  return replay(start, all, (before, record) => advanceBy(before, record, evaluation)).interventions;
}

interface Replayed {
  readonly fingerprints: readonly Fingerprint[];
  /** Those that the policy would have made, oldest first: one each time a rung is reached. */
  readonly interventions: readonly Intervention[];
}

function replay<Taken>(start: Ledger, steps: readonly Taken[], take: (ledger: Ledger, step: Taken) => Ledger) {
  const [fingerprints, interventions]: [Fingerprint[], Intervention[]] = [[], []];
  const reached = new Map<string, string>();
  let ledger = start;
  for (const step of steps) {
    ledger = take(ledger, step);
    fingerprints.push(...ledger.window.slice(-1));
    const last = ledger.interventions.at(-1);
    if (last?.at !== ledger.total - 1 || (reached.get(last.loop) === last.rung && last.rung !== "nudge")) continue;
    reached.set(last.loop, last.rung);
    interventions.push(last);
  }
  return { fingerprints, interventions };
}
