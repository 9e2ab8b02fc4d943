import { loopOfGoal } from "../../engine/engine.ts";
import { type GoalJudgement, type History, takeIn, withChoice, withJudgement } from "../../goal-judge/goal-judge.ts";
import type { Conversation } from "../../step.ts";
import type { SessionStore } from "../../store/store.ts";
import { changeRecord } from "../change-record.ts";
import type { Identity } from "../identity/identify.ts";
import { emptyLedger, type EvaluationContext, type Intervention, type Ledger } from "./ledger.ts";
import { ledgerForm } from "./ledger-text.ts";
import type { StoredLedger } from "./load-and-save.ts";
import { shownLedger } from "./shown.ts";

/** A thread's plan with the steps of its newest request taken in; undefined for a policy that plans nothing, and before a run's first step. */
export function planWith(
  ledger: Ledger | undefined,
  conversation: Conversation,
  { sign, policy: { planning, tools } }: Pick<EvaluationContext, "sign" | "policy">,
): History | undefined {
  if (planning === undefined) return ledger?.plan;
  const plan = takeIn(ledger?.plan, conversation, { sign, planning, tools });
  return plan.taken === 0 ? ledger?.plan : plan;
}

/** The same, with what the agent is told of it at the request's last step. */
export function planTold(
  ledger: Ledger | undefined,
  conversation: Conversation,
  told: Intervention | undefined,
  evaluation: EvaluationContext,
): History | undefined {
  const { tellsPlan, goalChange } = evaluation;
  if (tellsPlan === undefined) return ledger?.plan;
  const plan = planWith(ledger, conversation, evaluation);
  const isTold = tellsPlan && goalChange !== undefined && told?.loop === loopOfGoal(goalChange.loop);
  return plan && isTold ? withChoice(plan, goalChange) : plan;
}

/** What a judge has said of a request's last step, and that request. */
interface JudgedStep {
  readonly judgement: GoalJudgement;
  /** The plan that it was asked about. */
  readonly asked: History;
  readonly conversation: Conversation;
  readonly evaluation: EvaluationContext;
  readonly ttlMs: number;
}

/**
 * Keeps what a judge has said in the thread's ledger; the request that was judged may not be saved there yet. Undefined after too
 * many lost races. @throws whatever the store throws
 */
export async function saveJudgement(
  store: SessionStore,
  identity: Identity,
  found: StoredLedger,
  { judgement, asked, conversation, evaluation, ttlMs }: JudgedStep,
): Promise<StoredLedger | undefined> {
  const changed = await changeRecord(store, identity.thread, { ...ledgerForm, ttlMs }, (kept) => {
    // It was reset meanwhile.
    if (kept === undefined && found.version !== 0) return undefined;
    const own = kept === undefined ? found.ledger : shownLedger(kept, identity, conversation, evaluation.sign);
    const ledger = own ?? emptyLedger(conversation, evaluation);
    const isTaken = (ledger.plan?.taken ?? 0) >= asked.taken;
    const plan = isTaken ? ledger.plan : planWith(ledger, conversation, evaluation);
    return plan && { ...ledger, plan: withJudgement(plan, judgement) };
  });
  return changed && { ...found, ledger: changed.record, version: changed.version };
}
