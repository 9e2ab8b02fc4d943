import { type GoalNews, stepKey } from "../../engine/engine.ts";
import {
  type History,
  isDue,
  questionBody,
  signed,
  takeIn,
  type Verdict,
  verdictIn,
  withJudgement,
  withTold,
} from "../../goal-judge/goal-judge.ts";
import type { JudgeTerms } from "../../policy/policy.ts";
import { tokenTally } from "../../session/session.ts";
import type { Decided } from "../request/decide-request.ts";
import type { Guarded } from "../guard-context.ts";
import type { JudgeEndpoint } from "../judge-state.ts";
import type { Observed } from "../relay/observe.ts";
import type { Considered } from "../request/action.ts";
import { type KeptPlan, keepPlan, type Planned } from "../request/goal-plan.ts";

/** Sends one question; undefined where it came to no answer. */
type TryAsk = (body: string, endpoint: JudgeEndpoint) => Promise<Observed | undefined>;

/**
 * Beside an exchange: keeps what its request adds to the plan, and asks a judge how near the goal is by now, for a later
 * request to go by. Nothing of it waits for the judge. @throws whatever the stores throw.
 */
export async function consult(decided: Decided, guarding: Guarded, tryAsk: TryAsk): Promise<void> {
  const { planned, considered, plan } = decided;
  if (planned === undefined || considered === undefined) return;
  const { conversation } = considered.ask;
  const told = toldIn(considered, planned, guarding);
  const take = (history: History | undefined) => {
    const taken = takeIn(history, conversation, planned.terms);
    // Before its first step a run may go by another name.
    if (taken.taken === 0) return history;
    return told === undefined ? taken : withTold(taken, told);
  };
  const kept = await keepPlan(planned.key, planned.found, take, guarding);
  const { endpoint } = guarding.judging;
  const terms = guarding.policy.judge;
  if (endpoint === undefined || terms === undefined || plan.kind !== "forward" || kept.history === undefined) return;
  if (!mayAsk(decided, considered, kept.history, terms, guarding)) return;
  const room = guarding.judging.begin(considered.identity.thread);
  if (room === undefined) return;
  try {
    await askAndKeep({ decided, considered, planned, terms, endpoint, kept }, guarding, tryAsk);
  } finally {
    room.over();
  }
}

/** In observe mode nobody is told anything, and a request told again is answered as it was. */
function toldIn({ followed: { now } }: Considered, planned: Planned, { mode }: Guarded): GoalNews | undefined {
  const { news } = planned;
  return mode === "enforce" && now?.intervention.loop === `goal-distance:${news?.loop}` ? news : undefined;
}

function mayAsk(
  { totals = {}, watch }: Decided,
  { ask: { conversation } }: Considered,
  history: History,
  { every, maxCalls, maxTokens }: JudgeTerms,
  { sign }: Guarded,
): boolean {
  const last = conversation.steps.at(-1);
  const isAffordable = (totals.judgeCalls ?? 0) < maxCalls && (totals.judgeTokens ?? 0) < maxTokens;
  return last !== undefined && isAffordable && isDue(history, stepKey(last, sign), every, watch !== undefined);
}

interface Asking {
  readonly decided: Decided;
  readonly considered: Considered;
  readonly planned: Planned;
  readonly terms: JudgeTerms;
  readonly endpoint: JudgeEndpoint;
  readonly kept: KeptPlan & { readonly history?: History | undefined };
}

async function askAndKeep(asking: Asking, guarding: Guarded, tryAsk: TryAsk): Promise<void> {
  const { decided, considered, planned, kept, endpoint } = asking;
  const { judging, meter, log, stores, sessionTtlMs, sign } = guarding;
  const body = bodyOf(asking, guarding);
  const start = guarding.clock();
  const observed = await tryAsk(body, endpoint);
  const { outcome, verdict } = understood(observed);
  if (outcome === "refused" && judging.isStructured() && (observed?.status === 400 || observed?.status === 422))
    judging.refusedSchema();
  const tokens = tokensOf(observed, body);
  meter.judged(outcome, (guarding.clock() - start) / 1000, tokens);
  log.debug({ session: considered.identity.session, outcome, distance: verdict?.distance, tokens }, "judged");
  const purse = decided.purse?.(undefined);
  if (purse !== undefined) await stores.counters.add(purse, { judgeCalls: 1, judgeTokens: tokens }, sessionTtlMs);
  const key = kept.history?.keys.at(-1);
  if (verdict === undefined || key === undefined) return;
  const { judgement, texts } = signed(key, verdict, sign);
  judging.remember(texts);
  await keepPlan(planned.key, kept, (history) => history && withJudgement(history, judgement), guarding);
}

function bodyOf({ considered, planned, kept, terms, endpoint }: Asking, { sign, judging }: Guarded): string {
  const { conversation } = considered.ask;
  const { planning } = planned.terms;
  const question = { conversation, history: kept.history, terms, planning, sign, remembered: judging.remembered };
  return questionBody(question, { model: endpoint.model, structured: judging.isStructured() });
}

interface Understood {
  /** `scored`; `nonsense`: an answer without a score; `refused`: an error in its place; `failed`: none in time. */
  readonly outcome: "scored" | "nonsense" | "refused" | "failed";
  readonly verdict?: Verdict | undefined;
}

function understood(observed: Observed | undefined): Understood {
  if (observed === undefined || observed.failure !== undefined) return { outcome: "failed" };
  if (observed.status < 200 || observed.status >= 300) return { outcome: "refused" };
  const verdict = observed.answer && verdictIn(observed.answer.step.text);
  return verdict === undefined ? { outcome: "nonsense" } : { outcome: "scored", verdict };
}

/** What nobody counted is estimated; a question that was never answered counts as asked. */
function tokensOf(observed: Observed | undefined, question: string): number {
  const usage = observed?.answer?.usage;
  if (usage !== undefined) return usage.inputTokens + usage.outputTokens;
  const tally = tokenTally();
  tally.add(question);
  return tally.tokens();
}
