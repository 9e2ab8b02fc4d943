import { loopOfGoal, stepKey } from "../../engine/engine.ts";
import {
  type GoalScore,
  goalScoreIn,
  type History,
  isDue,
  promptFor,
  signGoalScore,
  takeIn,
  withChoice,
  withJudgement,
} from "../../goal-judge/goal-judge.ts";
import type { RequestContext } from "../context.ts";
import type { AdvisedRun, JudgedRequest } from "./advice.ts";
import { askInTurn, isAffordable } from "./ask.ts";
import { type GoalPlan, goalPlan, savePlan, type StoredPlan } from "./goal-plan.ts";

/**
 * Beside an exchange: keeps what its request adds to the plan, and asks a judge how near the goal is by now, for a later
 * request to go by. The exchange does not wait for it. @throws whatever the stores throw.
 */
export async function scoreGoal(
  run: AdvisedRun,
  planned: GoalPlan,
  judged: JudgedRequest,
  context: RequestContext,
): Promise<void> {
  const change = toldIn(judged, planned, context);
  const take = (history: History | undefined) => {
    const taken = takeIn(history, run.conversation, planned.terms);
    // Before its first step a run may go by another name.
    if (taken.taken === 0) return history;
    return change === undefined ? taken : withChoice(taken, change);
  };
  const { record: history } = await savePlan(planned.key, planned.stored, take, context);
  if (history === undefined || !judged.isForwarded || !mayAsk(run, history, judged.isNearRung, context)) return;
  await askForScore(run, planned, history, undefined, context);
}

/**
 * Before a request is decided on, where its policy waits for the judge: its plan, with what the judge says of the newest
 * state. Undefined where it is not waited for, or the judge is not there in time. @throws whatever the stores throw.
 */
export async function waitForScore(run: AdvisedRun, context: RequestContext): Promise<StoredPlan | undefined> {
  const { policy, judgeState, mode } = context;
  const wait = policy.judge?.wait;
  if (wait === undefined || judgeState.endpoint === undefined || mode !== "enforce" || run.compacts) return undefined;
  const planned = goalPlan(run, context);
  if (planned === undefined || !mayAsk(run, planned.history, false, context)) return undefined;
  const deadline = context.clock() + Math.min(wait, judgeState.endpoint.timeoutMs);
  return askForScore(run, planned, planned.history, deadline, context);
}

/** In observe mode the model is told nothing, and a repeated request is answered as before. */
function toldIn({ merged: { now } }: JudgedRequest, { goalChange }: GoalPlan, { mode }: RequestContext) {
  return mode === "enforce" && goalChange !== undefined && now?.intervention.loop === loopOfGoal(goalChange.loop)
    ? goalChange
    : undefined;
}

/** @param isNearRung a loop may be about to close, so every step counts */
function mayAsk(
  { conversation, totals }: AdvisedRun,
  history: History,
  isNearRung: boolean,
  { sign, policy: { judge } }: Pick<RequestContext, "sign" | "policy">,
): boolean {
  const last = conversation.steps.at(-1);
  if (last === undefined || judge === undefined || !isAffordable(totals, judge)) return false;
  return isDue(history, stepKey(last, sign), judge.every, isNearRung);
}

/** What was kept; undefined where nothing was asked, or nothing understood. */
async function askForScore(
  { conversation, identity, budgetKey }: AdvisedRun,
  { key, stored, terms: moves }: GoalPlan,
  history: History,
  deadline: number | undefined,
  context: RequestContext,
): Promise<StoredPlan | undefined> {
  const { judgeState, sign, policy } = context;
  const { endpoint } = judgeState;
  const terms = policy.judge;
  if (endpoint === undefined || terms === undefined) return undefined;
  const { remembered } = judgeState;
  const score = await askInTurn<GoalScore>(
    {
      ...{ endpoint, identity, name: identity.thread, budgetKey, deadline, event: "judged" },
      prompt: () => promptFor({ conversation, history, terms, planning: moves.planning, sign, remembered }),
      read: goalScoreIn,
      outcomeOf: () => "scored",
      factsOf: (said) => ({ distance: said?.distance }),
    },
    context,
  );
  const newest = history.keys.at(-1);
  if (score === undefined || newest === undefined) return undefined;
  const { judgement, texts } = signGoalScore(newest, score, sign);
  judgeState.remember(texts);
  return savePlan(key, stored, (known) => withJudgement(takeIn(known, conversation, moves), judgement), context);
}
