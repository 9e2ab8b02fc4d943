import { type GoalChange, loopOfGoal, stepKey } from "../../engine/engine.ts";
import {
  decideOnGoal,
  distancePrompt,
  goalChangeOf,
  type GoalScore,
  goalScoreIn,
  type History,
  isDue,
  type MoveTerms,
  readHistory,
  signGoalScore,
  takeIn,
  withChoice,
  withJudgement,
  writtenHistory,
} from "../../goal-judge/goal-judge.ts";
import {
  changeRecord,
  type Identity,
  type MergeResult,
  planKeyOf,
  type PositionedIntervention,
  readRecord,
  type VersionedRecord,
} from "../../session/session.ts";
import type { ThreadKey } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import type { AdvisedRun, JudgedRequest } from "./advice.ts";
import { ask, isAffordable, ownJudge } from "./ask.ts";
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
    return text === undefined ? placed : { ...placed, judgeText: text };
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
  run: AdvisedRun,
  history: History,
  isNearRung: boolean,
  { sign, policy: { judge } }: Pick<RequestContext, "sign" | "policy">,
): boolean {
  const last = run.conversation.steps.at(-1);
  if (last === undefined || judge === undefined || !isAffordable(run, judge)) return false;
  return isDue(history, stepKey(last, sign), judge.every, isNearRung);
}

/** What was kept; undefined where nothing was asked, or nothing understood. */
async function askForScore(
  run: AdvisedRun,
  { key, stored, terms: moves }: GoalPlan,
  history: History,
  deadline: number | undefined,
  context: RequestContext,
): Promise<StoredPlan | undefined> {
  const { judgeState, sign, policy } = context;
  const judge = ownJudge(judgeState);
  const terms = policy.judge;
  if (judge === undefined || terms === undefined) return undefined;
  const { remembered } = judgeState;
  const { conversation } = run;
  const score = await ask<GoalScore>(
    {
      ...{ kind: "judged", judge, deadline },
      prompt: () => distancePrompt({ conversation, history, terms, planning: moves.planning, sign, remembered }),
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
  judgeState.remember(texts);
  return savePlan(key, stored, (known) => withJudgement(takeIn(known, conversation, moves), judgement), context);
}
