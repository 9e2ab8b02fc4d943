import { noMemory } from "../../policy/policy.ts";
import { advanceBy } from "./advance.ts";
import type { SessionStore, ThreadKey } from "../../store/store.ts";
import { changeRecord } from "../change-record.ts";
import type { EvaluationContext, Ledger } from "./ledger.ts";
import { ledgerForm } from "./ledger-text.ts";

/** A ledger with the last step of the last request counted as it stands, whatever may still come of it. */
export function withPendingCounted(ledger: Ledger, evaluation: EvaluationContext): Ledger {
  return ledger.pending === undefined ? ledger : advanceBy(ledger, ledger.pending, evaluation);
}

/**
 * A ledger after an operator has released its run: no block stands, and what repeats from here on is counted afresh, as
 * after a user's new message. Notes that were given stay in their places, for the model and the prompt cache.
 */
function releasedLedger(ledger: Ledger, evaluation: EvaluationContext): Ledger {
  const record = withPendingCounted(ledger, evaluation);
  const notes = record.interventions.filter(({ rung }) => rung === "nudge");
  return { ...record, since: record.total, memory: noMemory, interventions: notes };
}

/** Lifts every block in a thread. Requests that come meanwhile are waited out. @throws whatever the store throws */
export async function releaseThread(
  store: SessionStore,
  thread: ThreadKey,
  evaluation: EvaluationContext,
  ttlMs: number,
): Promise<void> {
  await changeRecord(store, thread, { ...ledgerForm, ttlMs }, (ledger) =>
    ledger === undefined || ledger.interventions.length === 0 ? undefined : releasedLedger(ledger, evaluation),
  );
}
