import { type GoalChange, loopOfGoal, stepKey } from "../../engine/engine.ts";
import {
  type History,
  isDue,
  promptFor,
  signGoalScore,
  takeIn,
  type GoalScore,
  goalScoreIn,
  withJudgement,
  withChoice,
} from "../../goal-judge/goal-judge.ts";
import type { JudgeTerms } from "../../policy/policy.ts";
import { promptBody } from "../../protocols/protocols.ts";
import type { Identity } from "../../session/session.ts";
import type { Conversation } from "../../step.ts";
import type { SessionKey } from "../../store/store.ts";
import type { WholeHistory } from "../whole-history.ts";
import type { StoredState } from "../load/load-state.ts";
import type { IdentifiedRequest } from "../read/read-request.ts";
import type { RequestContext } from "../context.ts";
import type { JudgeEndpoint } from "./judge-state.ts";
import type { Observed } from "../outcome.ts";
import type { EvaluatedRequest } from "../act/action.ts";
import { tokensOf } from "./judge-answer.ts";
import { type GoalPlan, goalPlan, savePlan, type StoredPlan } from "./goal-plan.ts";

/**
 * Beside an exchange: keeps what its request adds to the plan, and asks a judge how near the goal is by now, for a later
 * request to go by. The exchange does not wait for it. @throws whatever the stores throw.
 */
export async function scoreGoal(whole: WholeHistory): Promise<void> {
  const { plan: planned, evaluated, action, context } = whole;
  if (planned === undefined) return;
  const { conversation } = evaluated.request;
  const change = toldIn(evaluated, planned, context);
  const take = (history: History | undefined) => {
    const taken = takeIn(history, conversation, planned.terms);
    // Before its first step a run may go by another name.
    if (taken.taken === 0) return history;
    return change === undefined ? taken : withChoice(taken, change);
  };
  const plan = await savePlan(planned.key, planned.stored, take, context);
  const { endpoint } = context.judgeState;
  const terms = context.policy.judge;
  if (endpoint === undefined || terms === undefined || action.kind !== "forward" || plan.record === undefined) return;
  if (!mayAsk(whole, evaluated, plan.record, terms, context)) return;
  const { identity } = evaluated;
  const asking = { conversation, identity, terms, planned, plan, budgetKey: whole.budgetKey(undefined) };
  await askInTurn({ ...asking, endpoint, deadline: undefined }, context);
}

/**
 * Before a request is decided on, where its policy waits for the judge: its plan, with what the judge says of the newest
 * state; as it is where the judge is not there in time. @throws whatever the stores throw.
 */
export async function waitForScore(
  identified: IdentifiedRequest,
  stored: StoredState,
  context: RequestContext,
): Promise<StoredState> {
  const { policy, judgeState, mode } = context;
  const { request, identity, plan, totals, budgetKey } = stored;
  const terms = policy.judge;
  const { endpoint } = judgeState;
  if (terms?.wait === undefined || endpoint === undefined || mode !== "enforce" || identified.compacts) return stored;
  const { conversation } = request;
  const planned = goalPlan(conversation, identity, plan, context);
  const isAffordable = (totals.judgeCalls ?? 0) < terms.maxCalls && (totals.judgeTokens ?? 0) < terms.maxTokens;
  if (planned === undefined || !isAffordable || !isNewest(conversation, planned.history, terms.every, context))
    return stored;
  const loadedPlan: LoadedPlan = { record: planned.history, version: planned.stored.version };
  const deadline = context.clock() + Math.min(terms.wait, endpoint.timeoutMs);
  const asking = { conversation, identity, terms, planned, plan: loadedPlan, endpoint, budgetKey, deadline };
  return { ...stored, plan: (await askInTurn(asking, context)) ?? plan };
}

function isNewest(conversation: Conversation, history: History, every: number, { sign }: RequestContext): boolean {
  const last = conversation.steps.at(-1);
  return last !== undefined && isDue(history, stepKey(last, sign), every, false);
}

/** What was kept; undefined where nothing was asked, or nothing understood. */
async function askInTurn(request: ScoreRequest, context: RequestContext): Promise<StoredPlan | undefined> {
  const { identity, endpoint, deadline } = request;
  const patience = deadline === undefined ? endpoint.timeoutMs : deadline - context.clock();
  const room = await context.judgeState.rooms.begin(identity.thread, patience);
  if (room === undefined) {
    context.meter.judged("skipped", 0, 0);
    context.log.debug({ session: identity.label, outcome: "skipped" }, "judged");
    return undefined;
  }
  try {
    return await askAndKeep(request, context);
  } finally {
    room.over();
  }
}

/** In observe mode the model is told nothing, and a repeated request is answered as before. */
function toldIn(
  { merged: { now } }: EvaluatedRequest,
  planned: GoalPlan,
  { mode }: RequestContext,
): GoalChange | undefined {
  const { goalChange } = planned;
  return mode === "enforce" && goalChange !== undefined && now?.intervention.loop === loopOfGoal(goalChange.loop)
    ? goalChange
    : undefined;
}

function mayAsk(
  { totals = {}, lookahead }: WholeHistory,
  { request: { conversation } }: EvaluatedRequest,
  history: History,
  { every, maxCalls, maxTokens }: JudgeTerms,
  { sign }: RequestContext,
): boolean {
  const last = conversation.steps.at(-1);
  const isAffordable = (totals.judgeCalls ?? 0) < maxCalls && (totals.judgeTokens ?? 0) < maxTokens;
  return last !== undefined && isAffordable && isDue(history, stepKey(last, sign), every, lookahead !== undefined);
}

interface LoadedPlan extends StoredPlan {
  readonly record: History | undefined;
}

interface ScoreRequest {
  readonly conversation: Conversation;
  readonly identity: Identity;
  readonly terms: JudgeTerms;
  readonly planned: GoalPlan;
  readonly plan: LoadedPlan;
  readonly endpoint: JudgeEndpoint;
  /** Under which its cost is counted; undefined if that cannot be told yet. */
  readonly budgetKey: SessionKey | undefined;
  /** On the guard's clock, in milliseconds; undefined where nothing waits for it. */
  readonly deadline: number | undefined;
}

async function askAndKeep(request: ScoreRequest, context: RequestContext): Promise<StoredPlan | undefined> {
  const { conversation, identity, planned, plan, endpoint, budgetKey, deadline } = request;
  const { judgeState, meter, log, stores, sessionTtlMs, sign } = context;
  const body = bodyOf(request, context);
  const start = context.clock();
  const timeoutMs = deadline === undefined ? endpoint.timeoutMs : Math.max(1, Math.ceil(deadline - start));
  const observed = await judgeState.ask(body, { ...endpoint, timeoutMs });
  const { outcome, verdict } = understood(observed);
  if (outcome === "refused" && judgeState.isStructured() && (observed?.status === 400 || observed?.status === 422))
    judgeState.refusedSchema();
  const tokens = tokensOf(observed, body);
  meter.judged(outcome, (context.clock() - start) / 1000, tokens);
  log.debug({ session: identity.label, outcome, distance: verdict?.distance, tokens }, "judged");
  if (budgetKey !== undefined)
    await stores.counters.add(budgetKey, { judgeCalls: 1, judgeTokens: tokens }, sessionTtlMs);
  const key = plan.record?.keys.at(-1);
  if (verdict === undefined || key === undefined) return undefined;
  const { judgement, texts } = signGoalScore(key, verdict, sign);
  judgeState.remember(texts);
  const judge = (history: History | undefined) =>
    withJudgement(takeIn(history, conversation, planned.terms), judgement);
  return savePlan(planned.key, planned.stored, judge, context);
}

function bodyOf({ conversation, planned, plan, terms, endpoint }: ScoreRequest, { sign, judgeState }: RequestContext) {
  const { planning } = planned.terms;
  const question = { conversation, history: plan.record, terms, planning, sign, remembered: judgeState.remembered };
  const { answer, ...prompt } = promptFor(question);
  return promptBody({ model: endpoint.model, ...prompt, answer: judgeState.isStructured() ? answer : undefined });
}

interface Understood {
  /** `scored`; `unparsable`: an answer without a score; `refused`: an error in its place; `failed`: none in time. */
  readonly outcome: "scored" | "unparsable" | "refused" | "failed";
  readonly verdict?: GoalScore | undefined;
}

function understood(observed: Observed | undefined): Understood {
  if (observed === undefined || observed.failure !== undefined) return { outcome: "failed" };
  if (observed.status < 200 || observed.status >= 300) return { outcome: "refused" };
  const verdict = observed.answer && goalScoreIn(observed.answer.step.text);
  return verdict === undefined ? { outcome: "unparsable" } : { outcome: "scored", verdict };
}
