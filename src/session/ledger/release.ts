import { noMemory } from "../../policy/policy.ts";
import { advanceBy } from "./advance.ts";
import type { EvaluationContext, Ledger } from "./ledger.ts";

/** A ledger with the last step of the last request counted as it stands, whatever may still come of it. */
export function withPendingCounted(ledger: Ledger, evaluation: EvaluationContext): Ledger {
  return ledger.pending === undefined ? ledger : advanceBy(ledger, ledger.pending, evaluation);
}

/**
 * A ledger after an operator has released its run: no block stands, and what repeats from here on is counted afresh, as
 * after a user's new message. Notes that were given stay in their places, for the model and the prompt cache.
 */
export function releasedLedger(ledger: Ledger, evaluation: EvaluationContext): Ledger {
  const record = withPendingCounted(ledger, evaluation);
  const notes = record.interventions.filter(({ rung }) => rung === "nudge");
  return { ...record, since: record.total, memory: noMemory, interventions: notes };
}
