import { noMemory } from "../../policy/policy.ts";
import type { Conversation } from "../../step.ts";
import { advance, advanceBy } from "./advance.ts";
import { emptyLedger, type EvaluationContext, type Intervention, type Ledger } from "./ledger.ts";

/** What a policy would have done, oldest first: each time a rung is reached. */
export type ReplayedActs = readonly Intervention[];

/** Judges a whole conversation step by step, as if each had just come. */
export function replayConversation(conversation: Conversation, evaluation: EvaluationContext): ReplayedActs {
  const steps = conversation.steps.map((step) => (ledger: Ledger) => advance(ledger, step, evaluation));
  return play(emptyLedger(conversation, evaluation), steps);
}

/**
 * Judges the remembered steps of a thread anew: those in its window, as they were fingerprinted. What came before is not
 * known any more, nor are budgets and arrivals.
 */
export function replayWindow(ledger: Ledger, evaluation: EvaluationContext): ReplayedActs {
  const { pending, ...counted } = ledger;
  const records = [
    ...ledger.window.map((fingerprint) => ({ fingerprint, prefix: "" })),
    ...(pending === undefined ? [] : [pending]),
  ];
  const total = ledger.total - ledger.window.length;
  const start: Ledger = { ...counted, total, since: total, window: [], memory: noMemory, interventions: [] };
  return play(
    start,
    records.map((record) => (before: Ledger) => advanceBy(before, record, evaluation)),
  );
}

function play(start: Ledger, steps: readonly ((ledger: Ledger) => Ledger)[]): ReplayedActs {
  const acts: Intervention[] = [];
  const reached = new Map<string, string>();
  let ledger = start;
  for (const step of steps) {
    ledger = step(ledger);
    const last = ledger.interventions.at(-1);
    if (last === undefined || last.at !== ledger.total - 1) continue;
    if (reached.get(last.loop) === last.rung && last.rung !== "nudge") continue;
    reached.set(last.loop, last.rung);
    acts.push(last);
  }
  return acts;
}
