import type { GoalChange } from "../../engine/engine.ts";
import {
  decideOnGoal,
  type History,
  type MoveTerms,
  goalChangeOf,
  readHistory,
  takeIn,
  writtenHistory,
} from "../../goal-judge/goal-judge.ts";
import {
  changeRecord,
  type MergeResult,
  type Identity,
  type PositionedIntervention,
  planKeyOf,
  readRecord,
  type VersionedRecord,
} from "../../session/session.ts";
import type { ThreadKey } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import type { AdvisedRun } from "./advice.ts";
import type { JudgeState } from "./judge-state.ts";

/** A thread's plan as it was found, and the version to write against. */
export type StoredPlan = VersionedRecord<History>;

/** A plan with what its newest request adds. */
export interface GoalPlan {
  readonly key: ThreadKey;
  readonly stored: StoredPlan;
  readonly history: History;
  readonly terms: MoveTerms;
  /** Undefined where all goes well. */
  readonly goalChange: GoalChange | undefined;
}

/** Undefined for a policy that plans nothing. @throws whatever the store throws. */
export async function findPlan(
  identity: Identity,
  { stores, policy }: Pick<RequestContext, "stores" | "policy">,
): Promise<StoredPlan | undefined> {
  return policy.planning === undefined ? undefined : readRecord(stores.sessions, planKeyOf(identity), readHistory);
}

/** Undefined for a policy that plans nothing, and where the plan could not be read. */
export function goalPlan(
  { conversation, identity, plan: stored }: Pick<AdvisedRun, "conversation" | "identity" | "plan">,
  { sign, policy: { planning, tools } }: Pick<RequestContext, "sign" | "policy">,
): GoalPlan | undefined {
  if (stored === undefined || planning === undefined) return undefined;
  const terms = { sign, planning, tools };
  const history = takeIn(stored.record, conversation, terms);
  const goalChange = goalChangeOf(decideOnGoal(history, planning), history, conversation, sign);
  return { key: planKeyOf(identity), stored, history, terms, goalChange };
}

/** Notes with what the judge said to them, as far as this process remembers it. */
export function withSaid(merged: MergeResult, { remembered }: JudgeState): MergeResult {
  const said = (placed: PositionedIntervention): PositionedIntervention => {
    const text = remembered(placed.intervention.course?.said ?? "");
    return text === undefined ? placed : { ...placed, said: text };
  };
  return { ...merged, now: merged.now && said(merged.now), earlier: merged.earlier.map(said) };
}

/**
 * Keeps a plan, changed as `change` says, which is asked again where another request was faster. Gives what is kept by then.
 * @throws whatever the store throws.
 */
export async function savePlan(
  key: ThreadKey,
  plan: StoredPlan,
  change: (history: History | undefined) => History | undefined,
  { stores: { sessions }, sessionTtlMs: ttlMs }: Pick<RequestContext, "stores" | "sessionTtlMs">,
): Promise<StoredPlan> {
  return (await changeRecord(sessions, key, { ...planForm, ttlMs }, change, plan)) ?? plan;
}

const planForm = { read: readHistory, text: writtenHistory };
