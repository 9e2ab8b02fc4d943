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
import type { Conversation } from "../../step.ts";
import { type MergeResult, type Identity, type PositionedIntervention, planKeyOf } from "../../session/session.ts";
import type { SessionStore, ThreadKey } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import type { JudgeState } from "./judge-state.ts";

/** A thread's plan as it was found, and the version to write against. */
export interface StoredPlan {
  readonly history: History | undefined;
  readonly version: number;
}

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
  return policy.planning === undefined ? undefined : readPlan(stores.sessions, planKeyOf(identity));
}

export function goalPlan(
  conversation: Conversation,
  identity: Identity,
  stored: StoredPlan | undefined,
  { sign, policy: { planning, tools } }: Pick<RequestContext, "sign" | "policy">,
): GoalPlan | undefined {
  if (stored === undefined || planning === undefined) return undefined;
  const terms = { sign, planning, tools };
  const history = takeIn(stored.history, conversation, terms);
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

/** Each lost race is another request of the thread, and those are few. */
const MAX_ATTEMPTS = 8;

/**
 * Keeps a plan, changed as `change` says, which is asked again where another request was faster. Gives what is kept by then.
 * @throws whatever the store throws.
 */
export async function savePlan(
  key: ThreadKey,
  plan: StoredPlan,
  change: (history: History | undefined) => History | undefined,
  { stores: { sessions }, sessionTtlMs }: Pick<RequestContext, "stores" | "sessionTtlMs">,
): Promise<StoredPlan> {
  let { history, version } = plan;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const next = change(history);
    if (next === undefined || next === history) break;
    if (await sessions.write(key, writtenHistory(next), version, sessionTtlMs))
      return { history: next, version: version + 1 };
    ({ history, version } = await readPlan(sessions, key));
  }
  return { history, version };
}

async function readPlan(sessions: SessionStore, key: ThreadKey): Promise<StoredPlan> {
  const stored = await sessions.read(key);
  return { history: stored && readHistory(stored.json), version: stored?.version ?? 0 };
}
