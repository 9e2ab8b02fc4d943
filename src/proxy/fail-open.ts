import { answerError, answerWith } from "./relay/send-reply.ts";
import { askJudge } from "./relay/ask-judge.ts";
import { keepCachedTurn } from "../evaluation/record/cache-thread.ts";
import { type JudgedWhole, type Unread, type Decided, decideRequest } from "../evaluation/whole-history.ts";
import { type StoredState, findStored } from "../evaluation/load/load-state.ts";
import { type IdentifiedRequest, readRequest } from "../evaluation/read/read-request.ts";
import type { TryAsk } from "../evaluation/judge/judge-answer.ts";
import { scoreGoal, waitForScore } from "../evaluation/judge/score-goal.ts";
import { askSecondOpinion } from "../evaluation/judge/second-opinion.ts";
import type { ExchangeOutcome } from "./intercept/context.ts";
import type { ExchangeContext } from "./guard-context.ts";
import { abridgedBody } from "../evaluation/read/abridged-body.ts";
import type { ArrivedRequest } from "../evaluation/read/incoming-request.ts";
import { factsOf } from "./log.ts";
import { carryOut, type CarryOutTerms } from "./carry-out.ts";
import { attempt, harmlessFold, quietly, tellFailure } from "./harmless.ts";
import { unguarded, unreadAction } from "../evaluation/act/action.ts";
import { containedAnswer, containedRequest, isContained } from "../evaluation/act/containment.ts";
import type { Containment } from "../activity/activity.ts";
import { activityOf } from "../evaluation/record/activity.ts";
import { noteActivity, recordContained, recordExchange } from "../evaluation/record/record.ts";
import type { VerdictSink, Verdict } from "./relay/verdict.ts";

/* The one catcher: whatever goes wrong in the guard itself, the traffic passes. */

/** Undefined: it is to be read whole. */
export function turnSafely<T>(run: () => T | undefined, { log }: ExchangeContext): T | undefined {
  try {
    return run();
  } catch (error) {
    log.error(factsOf(error), "turn-failed");
    return undefined;
  }
}

export async function decideSafely(
  { exchange, pathSession, bytes }: ArrivedRequest,
  context: ExchangeContext,
): Promise<Unread | JudgedWhole> {
  try {
    const body = await abridgedBody(bytes);
    const asked = body === undefined ? undefined : readRequest(exchange, pathSession, body, context);
    if (asked === undefined) return { kind: "unread", action: unreadAction(context) };
    const ofModel = context.forModel(asked.request.model ?? "");
    if (ofModel.mode === "off") return { kind: "unread", action: unguarded };
    const stored = await storedSafely(asked, ofModel);
    const session = stored?.budgetKey ?? (stored?.identity ?? asked.named).key;
    const ofSession = ofModel.forSession(session);
    return decideRequest(asked, stored && (await judgedSafely(asked, stored, ofSession)), ofSession);
  } catch (error) {
    context.log.error(factsOf(error), "guard-failed");
    return { kind: "unread", action: unguarded };
  }
}

/** An operator's order is kept, unless the guard itself fails over it. */
export async function containSafely(
  found: Decided,
  contained: Containment,
  arrived: ArrivedRequest,
  context: ExchangeContext,
): Promise<Decided> {
  if (found.kind === "judged") return containedRequest(found, contained, context);
  if (found.kind === "unread") return found;
  // Of a cached turn only the newest messages were read; an answer of our own takes the whole request.
  found.ticket.over();
  const whole = await decideSafely(arrived, context);
  return whole.kind === "judged" ? containedRequest(whole, contained, context) : whole;
}

/** Where its policy waits for the goal judge. What fails there leaves the plan as it is. */
async function judgedSafely(
  asked: IdentifiedRequest,
  stored: StoredState,
  context: ExchangeContext,
): Promise<StoredState> {
  if (context.policy.judge?.wait === undefined) return stored;
  try {
    return await waitForScore(asked, stored, context, tryAskIn(context));
  } catch (error) {
    tellFailure(error, context);
    return stored;
  }
}

/** Undefined when the store fails. */
export async function storedSafely(
  asked: IdentifiedRequest,
  context: ExchangeContext,
): Promise<StoredState | undefined> {
  try {
    return await findStored(asked, context);
  } catch (error) {
    tellFailure(error, context);
    return undefined;
  }
}

/** After the last byte: nothing that fails here can reach the client any more. */
export function recordSafely(
  decided: Decided,
  went: ExchangeOutcome,
  arrived: ArrivedRequest,
  context: ExchangeContext,
): Promise<void> {
  return quietly(context)(async () => {
    if (decided.kind === "unread") return;
    if (went.contained || (decided.kind === "judged" && decided.contained !== undefined))
      return recordContained(decided, went, context);
    if (decided.kind === "judged") return recordExchange(decided, went, arrived, context);
    if (await keepCachedTurn(decided, went, arrived, context)) return;
    const whole = await decideSafely(arrived, context);
    if (whole.kind === "unread") return;
    whole.ticket.over();
    await recordExchange({ ...whole, servedElsewhere: true, ticket: decided.ticket }, went, arrived, context);
  });
}

/** What the upstream does not answer is answered here. */
export async function carryOutSafely(
  decided: Decided,
  arrived: ArrivedRequest,
  telling: VerdictSink & Pick<CarryOutTerms, "keep" | "speculative">,
  context: ExchangeContext,
): Promise<ExchangeOutcome> {
  const { protocol, log } = context;
  const tries = <T>(run: () => Promise<T>) => attempt(run, arrived.exchange.gone, log);
  const contained = () => containedAnswer(decided, arrived.bytes, context);
  try {
    const terms = { ...telling, attempt: tries, fold: harmlessFold(context), containedAnswer: contained };
    return await carryOut(decided, arrived, terms, context);
  } catch (failure) {
    const own = isContained(failure) ? contained() : undefined;
    if (own === undefined)
      return { status: answerError(telling.answer, protocol, failure, context), answer: undefined, failure };
    answerWith(telling.answer, own.status, own.reply);
    return { status: own.status, answer: undefined, contained: true };
  }
}

/** For operators: what they do not learn is no reason to fail. */
export function noteSafely(
  decided: Decided,
  verdict: Verdict,
  went: ExchangeOutcome,
  arrived: ArrivedRequest,
  context: ExchangeContext,
): Promise<void> {
  return quietly(context)(async () => {
    if (decided.kind === "unread") return;
    await noteActivity(activityOf(decided, verdict, went, arrived, context), decided, went, context);
  });
}

export function asksJudge({ planned }: JudgedWhole, { policy }: ExchangeContext): boolean {
  return planned !== undefined || policy.secondOpinion !== undefined;
}

/** Beside the exchange, which neither waits for it nor hears of its failure. */
export function consultSafely(decided: JudgedWhole, context: ExchangeContext): Promise<void> {
  return quietly(context)(async () => {
    const tryAsk = tryAskIn(context);
    await scoreGoal(decided, context, tryAsk);
    await askSecondOpinion(decided, context, tryAsk);
  });
}

function tryAskIn({ transport }: ExchangeContext): TryAsk {
  return (body, endpoint) => tryJudge(() => askJudge(body, endpoint, transport));
}

/** A judge that is down has one metric of its own, and no line for each exchange. */
async function tryJudge<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    // Its outcome is counted as failed where it was asked.
    return undefined;
  }
}
