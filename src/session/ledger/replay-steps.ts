import { noMemory } from "../../policy/policy.ts";
import type { Conversation } from "../../step.ts";
import { advance, advanceBy } from "./advance.ts";
import { emptyLedger, type EvaluationContext, type Intervention, type Ledger } from "./ledger.ts";
import { countedOnly } from "./unread-steps.ts";

/** Interventions that a policy would have made, oldest first: one each time a rung is reached. */
export type ReplayedInterventions = readonly Intervention[];

/** Older steps are counted alone, as a request's are. */
const MOST_STEPS = 1_024;
/** Steps after which others have their turn. */
const SLICE = 32;

/** How many of a conversation's first steps are not judged. */
export function unjudged({ steps }: Conversation): number {
  return Math.max(0, steps.length - MOST_STEPS);
}

/** Judges a conversation step by step, as if each had just come: its newest steps. Yields where others should have their turn. */
export function* replayConversation(
  conversation: Conversation,
  evaluation: EvaluationContext,
): Generator<undefined, ReplayedInterventions> {
  const { steps } = conversation;
  const skipped = unjudged(conversation);
  const acted = acting();
  const empty = emptyLedger(conversation, evaluation);
  let ledger = skipped === 0 ? empty : countedOnly(empty, steps.slice(0, skipped), evaluation);
  for (let at = skipped; at < steps.length; at++) {
    const step = steps[at];
    if (step !== undefined) ledger = advance(ledger, step, evaluation);
    acted.note(ledger);
    if (at % SLICE === 0) yield;
  }
  return acted.acts;
}

/**
 * Judges the remembered steps of a thread anew: those in its window, as they were fingerprinted. What came before is not
 * known any more, nor are budgets and arrivals.
 */
export function replayWindow(ledger: Ledger, evaluation: EvaluationContext): ReplayedInterventions {
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

function play(start: Ledger, steps: readonly ((ledger: Ledger) => Ledger)[]): ReplayedInterventions {
  const acted = acting();
  let ledger = start;
  for (const step of steps) {
    ledger = step(ledger);
    acted.note(ledger);
  }
  return acted.acts;
}

/** Gathers each time a rung is reached. */
function acting() {
  const acts: Intervention[] = [];
  const reached = new Map<string, string>();
  return {
    acts,
    note({ interventions, total }: Ledger): void {
      const last = interventions.at(-1);
      if (last === undefined || last.at !== total - 1) return;
      if (reached.get(last.loop) === last.rung && last.rung !== "nudge") return;
      reached.set(last.loop, last.rung);
      acts.push(last);
    },
  };
}
