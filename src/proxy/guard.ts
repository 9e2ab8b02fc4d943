import { fallbackProtocol, protocolFor } from "../protocols/protocols.ts";
import { UnloopError } from "../errors.ts";
import { credentialsOf } from "../session/session.ts";
import type { Exchange } from "../transport/transport.ts";
import { answerError, answerWith } from "./relay/send-reply.ts";
import { askJudge } from "./settle/ask-judge.ts";
import { keepCachedTurn } from "./settle/cache-thread.ts";
import {
  type IdentifiedRequest,
  type JudgedWhole,
  type Unread,
  type Decided,
  decideRequest,
  type StoredState,
  findStored,
  readRequest,
} from "./request/decide-request.ts";
import type { TryAsk } from "./settle/judge-answer.ts";
import { scoreGoal, waitForScore } from "./settle/score-goal.ts";
import { askSecondOpinion } from "./settle/second-opinion.ts";
import type { ExchangeOutcome } from "./intercept/context.ts";
import { fieldOf, type HeaderMetadata, headerMetadata, withOverrides } from "./request/request-metadata.ts";
import { forward, wantsWebSocket } from "./relay/forward.ts";
import { routeOf } from "./relay/routes.ts";
import { type SpeculativeCall, speculativeCall } from "./relay/upstream-call.ts";
import type { ContextChoice, ExchangeContext, GuardContext } from "./guard-context.ts";
import { abridgedBody } from "./request/abridged-body.ts";
import { clientOf, upstreamKeyOf } from "./request/clients.ts";
import { type ArrivedRequest, arrivedRequest } from "./request/cache-keys.ts";
import { type ReportedExchange, reportedExchange } from "./exchange-report.ts";
import { factsOf, logExchange } from "./log.ts";
import { carryOut, type CarryOutTerms, usageMeterOf } from "./carry-out.ts";
import { attempt, harmlessFold, quietly, tellFailure } from "./harmless.ts";
import { countExchange } from "./meter.ts";
import { unguarded, unreadAction } from "./request/action.ts";
import { containedAnswer, containedRequest, containmentOf, isContained } from "./request/contained.ts";
import type { Containment } from "../activity/activity.ts";
import { activityOf } from "./settle/note-activity.ts";
import { noteActivity, isRefused, recordContained, recordExchange } from "./settle/record.ts";
import { noteUntold } from "./settle/untold-sessions.ts";
import { isOtherSpelling } from "./request/other-spelling.ts";
import { sessionInPath } from "./request/session-path.ts";
import { cachedTurn, type Continuation, continuationOf, mayForwardFirst } from "./request/cached-turn.ts";
import { type VerdictSink, verdictSink, withCut, type Verdict } from "./relay/verdict.ts";

/**
 * One exchange, from the first byte of the request to the last of the answer and the record of it. Never rejects.
 * @param contextOf what an exchange is treated with, by what the operator's rules choose
 */
export async function guard(
  arrived: Exchange,
  context: GuardContext,
  contextOf: (chosen: ContextChoice) => ExchangeContext,
): Promise<void> {
  const { target: addressed, session } = sessionInPath(arrived.target);
  const path = addressed.split("?", 1)[0] ?? "";
  const header = (name: string) => fieldOf(arrived, name);
  const spoken = protocolFor({ method: arrived.method, path, header });
  const { upstream, target } = routeOf(context.routes, { target: addressed, wire: spoken?.name, header });
  const exchange = target === arrived.target ? arrived : { ...arrived, target };
  try {
    const client = clientOf(arrived.fields, context.clients);
    // At once and for good: at any other status agents knock again and again before they turn to HTTP.
    if (wantsWebSocket(arrived.fields) && protocolFor({ method: "POST", path, header }) !== undefined)
      throw new UnloopError("upgrade_required", "This API is guarded over HTTP alone.");
    const choice = context.rules.choose({ path, header, tenant: client?.tenant, client: client?.name });
    const chosen = spoken && withOverrides(arrived, contextOf({ choice, client, protocol: spoken, upstream }));
    const isOff = chosen !== undefined && chosen.mode === "off" && "terms" in choice;
    if (chosen === undefined && context.unreadable === "refuse" && isOtherSpelling(exchange, path))
      throw new UnloopError("unreadable", "The path is another spelling of a guarded one.");
    if (chosen === undefined || isOff)
      await forward(exchange, { transport: context.transport, upstream, upstreamKey: upstreamKeyOf(client) });
    else await guarded(exchange, session, chosen);
  } catch (error) {
    answerError(exchange.answer, spoken ?? fallbackProtocol, error, context);
  }
}

async function guarded(exchange: Exchange, pathSession: string | undefined, context: ExchangeContext): Promise<void> {
  const reported = context.observer === undefined ? undefined : reportedExchange(exchange, context);
  const metadata = headerMetadata(exchange, pathSession, context);
  const hold = context.bodyBudget.open(credentialsOf(metadata));
  try {
    const bytes = await exchange.body(context.maxBodyBytes, hold.take);
    await guardedWith(bytes, exchange, metadata, context, reported);
  } finally {
    hold.release();
  }
}

async function guardedWith(
  bytes: Uint8Array,
  exchange: Exchange,
  metadata: HeaderMetadata,
  chosen: ExchangeContext,
  reported: ReportedExchange | undefined,
): Promise<void> {
  const start = chosen.clock();
  const arrived = arrivedRequest(exchange, metadata, bytes, chosen);
  const { containments } = chosen;
  const fresh = containments.isStale() ? quietly(chosen)(() => containments.freshen()) : undefined;
  const continuation = turnSafely(() => continuationOf(arrived, chosen), chosen);
  const speculative = fresh === undefined ? forwardedFirst(continuation, arrived) : undefined;
  const firstMs = speculative && chosen.clock() - start;
  try {
    const turn = continuation && turnSafely(() => cachedTurn(continuation, arrived), chosen);
    const found = turn ?? (await decideSafely(arrived, chosen));
    if (fresh !== undefined) await fresh;
    const contained = containmentOf(found, chosen);
    const decided = contained === undefined ? found : await containSafely(found, contained, arrived, chosen);
    await conclude(decided, arrived, { speculative, ownMs: firstMs ?? chosen.clock() - start, reported }, chosen);
  } finally {
    speculative?.withdraw();
  }
}

/** A request that need not wait for its judgement goes on its way, and is judged while the upstream works. */
function forwardedFirst(
  continuation: Continuation | undefined,
  { exchange, bytes }: ArrivedRequest,
): SpeculativeCall | undefined {
  if (continuation === undefined || !mayForwardFirst(continuation)) return undefined;
  const { transport, upstream, upstreamKey } = continuation.context;
  return speculativeCall(exchange, { transport, upstream, upstreamKey, body: bytes, readable: true });
}

interface Concluding {
  readonly speculative: SpeculativeCall | undefined;
  /** The guard's own time before forwarding. */
  readonly ownMs: number;
  readonly reported: ReportedExchange | undefined;
}

/** Carries out what was decided, and keeps what came of it. */
async function conclude(
  decided: Decided,
  arrived: ArrivedRequest,
  { speculative, ownMs, reported }: Concluding,
  chosen: ExchangeContext,
): Promise<void> {
  const context = decided.kind === "unread" ? chosen : decided.context;
  const telling = verdictSink(reported?.answer ?? arrived.exchange.answer, decided.action.verdict, ownMs);
  const keep = once((went: ExchangeOutcome) => recordSafely(decided, went, arrived, context));
  const going = carryOutSafely(decided, arrived, { keep, speculative, ...telling }, context).finally(
    () => decided.kind !== "unread" && decided.ticket.over(),
  );
  const consulted =
    decided.kind === "judged" && asksJudge(decided, context) ? consultSafely(decided, context) : undefined;
  const went = await going;
  const verdict = withCut(telling.verdict(), went, context.mode);
  const isUntold = decided.kind === "judged" && noteUntold(decided.considered, context);
  countExchange(
    { verdict, went, ownMs, isUntold, read: howRead[decided.kind], speculative: speculative?.outcome() },
    context,
  );
  logExchange(context.log, verdict, went, ownMs, usageMeterOf(decided)?.total());
  if (reported !== undefined) context.observer?.(reported.report({ decided, verdict, went }, ownMs, context));
  await keep(went);
  if (!isRefused(went)) await noteSafely(decided, verdict, went, arrived, context);
  // Awaited for platforms that end pending work with the exchange.
  await consulted;
}

const howRead = { continuation: "tail", judged: "whole", unread: "unread" } as const;

/** The first call counts; those after it wait for that. */
function once<Given>(run: (given: Given) => Promise<void>): (given: Given) => Promise<void> {
  let running: Promise<void> | undefined;
  return (given) => {
    running ??= run(given);
    return running;
  };
}

// --- The one catcher: whatever goes wrong in the guard itself, the traffic passes. ---

/** Undefined: it is to be read whole. */
function turnSafely<T>(run: () => T | undefined, { log }: ExchangeContext): T | undefined {
  try {
    return run();
  } catch (error) {
    log.error(factsOf(error), "turn-failed");
    return undefined;
  }
}

async function decideSafely(
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
async function containSafely(
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
function recordSafely(
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
async function carryOutSafely(
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
function noteSafely(
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

function asksJudge({ planned }: JudgedWhole, { policy }: ExchangeContext): boolean {
  return planned !== undefined || policy.secondOpinion !== undefined;
}

/** Beside the exchange, which neither waits for it nor hears of its failure. */
function consultSafely(decided: JudgedWhole, context: ExchangeContext): Promise<void> {
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
