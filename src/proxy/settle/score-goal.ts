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
  withTold,
} from "../../goal-judge/goal-judge.ts";
import type { JudgeTerms } from "../../policy/policy.ts";
import { promptBody } from "../../protocols/protocols.ts";
import type { JudgedWhole } from "../request/decide-request.ts";
import type { ExchangeContext } from "../guard-context.ts";
import type { JudgeEndpoint } from "../judge-state.ts";
import type { Observed } from "../relay/observe.ts";
import type { JudgedRequest } from "../request/action.ts";
import { tokensOf, type TryAsk } from "./judge-answer.ts";
import { type StoredPlan, savePlan, type GoalPlan } from "../request/goal-plan.ts";

/**
 * Beside an exchange: keeps what its request adds to the plan, and asks a judge how near the goal is by now, for a later
 * request to go by. Nothing of it waits for the judge. @throws whatever the stores throw.
 */
export async function scoreGoal(decided: JudgedWhole, context: ExchangeContext, tryAsk: TryAsk): Promise<void> {
  const { planned, considered, action } = decided;
  if (planned === undefined) return;
  const { conversation } = considered.request;
  const told = toldIn(considered, planned, context);
  const take = (history: History | undefined) => {
    const taken = takeIn(history, conversation, planned.terms);
    // Before its first step a run may go by another name.
    if (taken.taken === 0) return history;
    return told === undefined ? taken : withTold(taken, told);
  };
  const kept = await savePlan(planned.key, planned.found, take, context);
  const { endpoint } = context.judgeState;
  const terms = context.policy.judge;
  if (endpoint === undefined || terms === undefined || action.kind !== "forward" || kept.history === undefined) return;
  if (!mayAsk(decided, considered, kept.history, terms, context)) return;
  const room = context.judgeState.begin(considered.identity.thread);
  if (room === undefined) return;
  try {
    await askAndKeep({ decided, considered, planned, terms, endpoint, kept }, context, tryAsk);
  } finally {
    room.over();
  }
}

/** In observe mode the model is told nothing, and a repeated request is answered as before. */
function toldIn(
  { followed: { now } }: JudgedRequest,
  planned: GoalPlan,
  { mode }: ExchangeContext,
): GoalChange | undefined {
  const { goalChange } = planned;
  return mode === "enforce" && goalChange !== undefined && now?.intervention.loop === loopOfGoal(goalChange.loop)
    ? goalChange
    : undefined;
}

function mayAsk(
  { totals = {}, lookahead }: JudgedWhole,
  { request: { conversation } }: JudgedRequest,
  history: History,
  { every, maxCalls, maxTokens }: JudgeTerms,
  { sign }: ExchangeContext,
): boolean {
  const last = conversation.steps.at(-1);
  const isAffordable = (totals.judgeCalls ?? 0) < maxCalls && (totals.judgeTokens ?? 0) < maxTokens;
  return last !== undefined && isAffordable && isDue(history, stepKey(last, sign), every, lookahead !== undefined);
}

interface ScoreRequest {
  readonly decided: JudgedWhole;
  readonly considered: JudgedRequest;
  readonly planned: GoalPlan;
  readonly terms: JudgeTerms;
  readonly endpoint: JudgeEndpoint;
  readonly kept: StoredPlan & { readonly history?: History | undefined };
}

async function askAndKeep(asking: ScoreRequest, context: ExchangeContext, tryAsk: TryAsk): Promise<void> {
  const { decided, considered, planned, kept, endpoint } = asking;
  const { judgeState, meter, log, stores, sessionTtlMs, sign } = context;
  const body = bodyOf(asking, context);
  const start = context.clock();
  const observed = await tryAsk(body, endpoint);
  const { outcome, verdict } = understood(observed);
  if (outcome === "refused" && judgeState.isStructured() && (observed?.status === 400 || observed?.status === 422))
    judgeState.refusedSchema();
  const tokens = tokensOf(observed, body);
  meter.judged(outcome, (context.clock() - start) / 1000, tokens);
  log.debug({ session: considered.identity.label, outcome, distance: verdict?.distance, tokens }, "judged");
  const budgetKey = decided.budgetKey(undefined);
  if (budgetKey !== undefined)
    await stores.counters.add(budgetKey, { judgeCalls: 1, judgeTokens: tokens }, sessionTtlMs);
  const key = kept.history?.keys.at(-1);
  if (verdict === undefined || key === undefined) return;
  const { judgement, texts } = signGoalScore(key, verdict, sign);
  judgeState.remember(texts);
  await savePlan(planned.key, kept, (history) => history && withJudgement(history, judgement), context);
}

function bodyOf(
  { considered, planned, kept, terms, endpoint }: ScoreRequest,
  { sign, judgeState }: ExchangeContext,
): string {
  const { conversation } = considered.request;
  const { planning } = planned.terms;
  const question = { conversation, history: kept.history, terms, planning, sign, remembered: judgeState.remembered };
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
