import { stepKey } from "../../engine/engine.ts";
import {
  decideOnGoal,
  distancePrompt,
  goalChangeOf,
  type GoalScore,
  goalScoreIn,
  type History,
  isDue,
  signGoalScore,
} from "../../goal-judge/goal-judge.ts";
import {
  type EvaluationContext,
  type Identity,
  type MergeResult,
  planWith,
  type PositionedIntervention,
  saveJudgement,
  type StoredLedger,
} from "../../session/session.ts";
import type { Conversation } from "../../step.ts";
import type { SessionKey, Totals } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import { ask, type AskUpstream, isAffordable, ownJudge } from "./ask.ts";
import { askSecondOpinion } from "./second-opinion.ts";

export type { AskUpstream } from "./ask.ts";
export { concernsJudge } from "./second-opinion.ts";

/** A run that judges are asked about, as its newest request shows it. */
export interface AdvisedRun {
  readonly conversation: Conversation;
  readonly identity: Identity;
  /** Undefined where nothing is planned, or it could not be read. */
  readonly planned: StoredLedger | undefined;
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

/** Advice of judges on a run: where its policy plans, how near its goal is; and whether a loop is one. */
export interface JudgeAdvice {
  /** What the newest request is evaluated with. */
  readonly terms: Pick<EvaluationContext, "goalChange" | "tellsPlan" | "opinion">;
  /** The thread as it is by now, where a judge was waited for. */
  readonly stored: StoredLedger | undefined;
  /** Interventions with what a judge said to them, as far as this process remembers that. */
  worded(merged: MergeResult): MergeResult;
  /** Asks beside the exchange, for a later request to go by. Undefined where there is nothing to ask. Never rejects. */
  consult(judged: JudgedRequest, askUpstream: AskUpstream): Promise<void> | undefined;
}

/** Where its policy waits for a judge, that one has been asked, or its time is over. */
export async function adviceOn(run: AdvisedRun, context: RequestContext): Promise<JudgeAdvice> {
  const { judgeState, policy, sign, mode, inBackground } = context;
  const { planned, conversation, identity, compacts } = run;
  const stored = planned && (await inBackground(() => waitForScore(run, context)));
  const plan = planned && planWith((stored ?? planned).ledger, conversation, context);
  const goalChange =
    plan && policy.planning && goalChangeOf(decideOnGoal(plan, policy.planning), plan, conversation, sign);
  return {
    terms: {
      ...(goalChange && { goalChange }),
      // In observe mode the model is told nothing, and a repeated request is answered as before.
      ...(planned && { tellsPlan: mode === "enforce" && !compacts }),
      opinion: policy.secondOpinion && judgeState.opinions.get(identity.thread),
    },
    stored,
    worded: (merged) => withSaid(merged, context),
    consult(judged, askUpstream) {
      if (planned === undefined && policy.secondOpinion === undefined) return undefined;
      const scoring = inBackground(() => scoreGoal(run, judged, context));
      return scoring.then(() => inBackground(() => askSecondOpinion(run, judged, askUpstream, context)));
    },
  };
}

/** Notes with what the judge said to them, as far as this process remembers it. */
function withSaid(merged: MergeResult, { judgeState: { texts } }: RequestContext): MergeResult {
  const said = (placed: PositionedIntervention): PositionedIntervention => {
    const text = texts.get(placed.intervention.course?.said ?? "");
    return text === undefined ? placed : { ...placed, judgeText: text };
  };
  return { ...merged, now: merged.now && said(merged.now), earlier: merged.earlier.map(said) };
}

/** Asks beside the exchange how near the goal is by now. @throws whatever the stores throw */
async function scoreGoal(
  run: AdvisedRun,
  { merged: { plan }, isForwarded, isNearRung }: JudgedRequest,
  context: RequestContext,
): Promise<void> {
  if (plan !== undefined && isForwarded && mayAsk(run, plan, isNearRung, context))
    await askForScore(run, plan, undefined, context);
}

/**
 * Before a request is decided on, where its policy waits for the judge: the thread with what the judge says of the newest
 * state. Undefined where it is not waited for, or the judge is not there in time. @throws whatever the stores throw.
 */
async function waitForScore(run: AdvisedRun, context: RequestContext): Promise<StoredLedger | undefined> {
  const { policy, judgeState, mode } = context;
  const wait = policy.judge?.wait;
  if (wait === undefined || judgeState.endpoint === undefined || mode !== "enforce" || run.compacts) return undefined;
  const plan = planWith(run.planned?.ledger, run.conversation, context);
  if (plan === undefined || !mayAsk(run, plan, false, context)) return undefined;
  const deadline = context.clock() + Math.min(wait, judgeState.endpoint.timeoutMs);
  return askForScore(run, plan, deadline, context);
}

/** @param isNearRung a loop may be about to close, so every step counts */
function mayAsk(
  run: AdvisedRun,
  plan: History,
  isNearRung: boolean,
  { sign, policy: { judge } }: RequestContext,
): boolean {
  const last = run.conversation.steps.at(-1);
  if (last === undefined || judge === undefined || !isAffordable(run, judge)) return false;
  return isDue(plan, stepKey(last, sign), judge.every, isNearRung);
}

/** The thread as it is kept then; undefined where nothing was asked, or nothing understood. */
async function askForScore(
  run: AdvisedRun,
  history: History,
  deadline: number | undefined,
  context: RequestContext,
): Promise<StoredLedger | undefined> {
  const { judgeState, sign, policy, stores, sessionTtlMs: ttlMs } = context;
  const { planned, conversation, identity } = run;
  const { judge: terms, planning } = policy;
  const judge = ownJudge(judgeState);
  if (judge === undefined || terms === undefined || planning === undefined || planned === undefined) return undefined;
  const remembered = judgeState.texts.get;
  const score = await ask<GoalScore>(
    {
      ...{ kind: "judged", judge, deadline },
      prompt: () => distancePrompt({ conversation, history, terms, planning, sign, remembered }),
      read: goalScoreIn,
      outcomeOf: () => "scored",
      factsOf: (said) => ({ distance: said?.distance }),
    },
    run,
    context,
  );
  const newest = history.keys.at(-1);
  if (score === undefined || newest === undefined) return undefined;
  const { judgement, texts } = signGoalScore(newest, score, sign);
  for (const [signature, text] of texts) judgeState.texts.put(signature, text);
  const evaluation = { sign, policy };
  const judged = { judgement, asked: history, conversation, evaluation, ttlMs };
  return saveJudgement(stores.sessions, identity, planned, judged);
}
