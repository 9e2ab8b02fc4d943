import type { EvaluationContext, Identity, MergeResult } from "../../session/session.ts";
import type { Conversation } from "../../step.ts";
import type { SessionKey, Totals } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import { goalPlan, scoreGoal, type StoredPlan, waitForScore, withSaid } from "./goal-plan.ts";
import type { AskUpstream } from "./ask.ts";
import { askSecondOpinion } from "./second-opinion.ts";

export type { AskUpstream } from "./ask.ts";
export { concernsJudge } from "./second-opinion.ts";
export { findPlan, type StoredPlan } from "./goal-plan.ts";

/** A run that judges are asked about, as its newest request shows it. */
export interface AdvisedRun {
  readonly conversation: Conversation;
  readonly identity: Identity;
  /** Undefined where nothing is planned, or the plan could not be read. */
  readonly plan: StoredPlan | undefined;
  /** What is counted of its session. */
  readonly totals: Totals;
  /** Under which a judge's cost is counted; undefined if that cannot be told yet. */
  readonly budgetKey: SessionKey | undefined;
  /** The request asks for a compaction, which is no turn of the run. */
  readonly compacts: boolean;
}

/** What was decided about the request. */
export interface JudgedRequest {
  readonly merged: MergeResult;
  readonly isForwarded: boolean;
  /** Path and query that it was sent to. */
  readonly target: string;
  /** Its answer may complete a loop. */
  readonly isNearRung: boolean;
}

/** JudgeAdvice of judges on a run: where its policy plans, how near its goal is; and whether a loop is one. */
export interface JudgeAdvice {
  /** What the newest request is evaluated with. */
  readonly terms: Pick<EvaluationContext, "goalChange" | "opinion">;
  /** Interventions with what a judge said to them, as far as this process remembers that. */
  worded(merged: MergeResult): MergeResult;
  /** Asks beside the exchange, for a later request to go by. Undefined where there is nothing to ask. Never rejects. */
  consult(judged: JudgedRequest, askUpstream: AskUpstream): Promise<void> | undefined;
}

/** Where its policy waits for a judge, that one has been asked, or its time is over. */
export async function adviceOn(run: AdvisedRun, context: RequestContext): Promise<JudgeAdvice> {
  const { judgeState, policy, inBackground } = context;
  const scored = run.plan && (await inBackground(() => waitForScore(run, context)));
  const planned = goalPlan(scored === undefined ? run : { ...run, plan: scored }, context);
  return {
    terms: {
      ...(planned?.goalChange && { goalChange: planned.goalChange }),
      opinion: policy.secondOpinion && judgeState.opinionOf(run.identity.thread),
    },
    worded: (merged) => withSaid(merged, judgeState),
    consult(judged, askUpstream) {
      if (planned === undefined && policy.secondOpinion === undefined) return undefined;
      const scoring = inBackground(async () => planned && scoreGoal(run, planned, judged, context));
      return scoring.then(() => inBackground(() => askSecondOpinion(run, judged, askUpstream, context)));
    },
  };
}
