import type { Conversation } from "../../step.ts";
import type { SessionStore } from "../../store/store.ts";
import { changeRecord } from "../change-record.ts";
import type { Identity } from "../identity/identify.ts";
import { type JudgeAdvice, emptyLedger, type EvaluationContext } from "./ledger.ts";
import { ledgerForm } from "./ledger-text.ts";
import type { StoredLedger } from "./load-and-save.ts";
import { shownLedger } from "./shown.ts";

/** What a judge has said of a request's last step, and that request. */
interface AdvisedRequest {
  readonly advice: JudgeAdvice;
  readonly conversation: Conversation;
  readonly evaluation: EvaluationContext;
  readonly ttlMs: number;
}

/** Steps that are remembered to have been judged. */
const MAX_ADVICE = 64;

/**
 * Keeps a judge's advice in the thread's ledger; the request that it is about may not be saved there yet. Undefined after too many
 * lost races. @throws whatever the store throws
 */
export async function saveAdvice(
  store: SessionStore,
  identity: Identity,
  found: StoredLedger,
  { advice, conversation, evaluation, ttlMs }: AdvisedRequest,
): Promise<StoredLedger | undefined> {
  const changed = await changeRecord(store, identity.thread, { ...ledgerForm, ttlMs }, (kept) => {
    // It was reset meanwhile.
    if (kept === undefined && found.version !== 0) return undefined;
    const own = kept === undefined ? found.ledger : shownLedger(kept, identity, conversation, evaluation.sign);
    const ledger = own ?? emptyLedger(conversation, evaluation);
    return { ...ledger, advice: [...(ledger.advice ?? []), advice].slice(-MAX_ADVICE) };
  });
  return changed && { ...found, ledger: changed.record, version: changed.version };
}
