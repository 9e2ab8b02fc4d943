import {
  evaluate,
  type Turn,
  type ExchangeOutcome,
  finalVerdict,
  headerMetadata,
  type IncomingRequest,
  incomingRequest,
  type Log,
  type MeteredUsage,
  type Observed,
  orUndefined,
  type RequestContext,
  unguardedTurn,
  type Verdict,
} from "../evaluation/evaluation.ts";
import { fallbackProtocol } from "../protocols/protocols.ts";
import { credentialsOf } from "../session/session.ts";
import type { Exchange } from "../transport/transport.ts";
import { answerFailure, carryOut, type CarryOutTerms } from "./carry-out.ts";
import { failureCode, type ReportedExchange, reportedExchange } from "./exchange-report.ts";
import { failOpen } from "./fail-open.ts";
import type { GuardContext } from "./guard-context.ts";
import { endpointOf, passingEndpoint, type RequestEndpoint, treatmentOf } from "./http/endpoint.ts";
import { readBody, type UnreadReason, whyUnread } from "./http/request-body.ts";
import { askOwnUpstream } from "./relay/ask-judge.ts";
import { type Destination, forward } from "./relay/forward.ts";
import { answerError } from "./relay/send-reply.ts";
import { type VerdictSink, verdictSink } from "./relay/verdict-sink.ts";

/** One exchange, from the first byte of the request to the last of the answer and the record of it. Never rejects. */
export async function guard(incoming: Exchange, shared: GuardContext): Promise<void> {
  const exchange = shared.origins.knownTo(incoming);
  let protocol = fallbackProtocol;
  try {
    const endpoint = endpointOf(exchange, shared);
    protocol = endpoint.protocol ?? fallbackProtocol;
    const { destination, context } = treatmentOf(endpoint, shared);
    if (endpoint.protocol === undefined) shared.services.meter.passed?.(passingEndpoint(endpoint));
    if (context === undefined) await forward(endpoint.exchange, destination);
    else await guarded(endpoint, destination, context, shared);
  } catch (error) {
    answerError(exchange.answer, protocol, error, shared.services);
  }
}

async function guarded(
  { exchange, target, pathSession, upstream }: RequestEndpoint,
  destination: Destination,
  context: RequestContext,
  { bodyBudget, transport, configuration: { maxBodyBytes, observer } }: GuardContext,
): Promise<void> {
  const reported = observer && reportedExchange(exchange, { upstream, clock: context.clock, observer });
  const metadata = headerMetadata(exchange, pathSession, context);
  const hold = bodyBudget.open(credentialsOf(metadata));
  try {
    const { came, plain } = await readBody(exchange, { hold, maxBytes: maxBodyBytes, transport });
    const start = context.clock();
    const evaluation =
      typeof plain === "string"
        ? unguardedTurn(undefined, context)
        : await evaluationOf(incomingRequest({ ...exchange, target }, metadata, plain, context), context);
    const unread = evaluation.read === "unread" && evaluation.context.mode !== "off" ? whyUnread(plain) : undefined;
    const body = { came, sent: hold.release };
    await carriedOut(evaluation, { exchange, target, destination, body, reported, start, unread });
  } finally {
    hold.release();
  }
}

function evaluationOf(incoming: IncomingRequest, context: RequestContext): Promise<Turn> {
  return failOpen(
    () => evaluate(incoming, context),
    () => unguardedTurn(incoming, context),
    context.log,
  );
}

interface Exchanging extends Omit<CarryOutTerms, keyof VerdictSink> {
  readonly unread: UnreadReason | undefined;
  readonly reported: ReportedExchange | undefined;
  /** When its body was there, on the guard's clock. */
  readonly start: number;
}

async function carriedOut(evaluation: Turn, { reported, start, unread, ...terms }: Exchanging): Promise<void> {
  const { exchange, destination } = terms;
  const { context } = evaluation;
  const ownMs = context.clock() - start;
  const sink = verdictSink(reported?.answer ?? exchange.answer, { ...evaluation.action, ownMs, unread });
  const carrying = carryOut(evaluation, { ...terms, ...sink })
    .catch((failure: unknown) => answerFailure(failure, evaluation, sink))
    .finally(evaluation.close);
  const consulted = evaluation.consult((question, timeoutMs) =>
    orUndefined(askOwnUpstream(question, { timeoutMs, exchange, destination, protocol: context.protocol })),
  );
  const outcome = await carrying;
  reportExchange(evaluation, outcome, { ownMs, unread, reported });
  await evaluation.record(outcome);
  // Awaited for platforms that end pending work with the exchange.
  await consulted;
}

interface Measured {
  /** The guard's own time before forwarding. */
  readonly ownMs: number;
  readonly unread: UnreadReason | undefined;
  /** Undefined where nobody observes exchanges. */
  readonly reported: ReportedExchange | undefined;
}

/** Reports an exchange that is over: in metrics, in the log, and to the observer. */
function reportExchange(evaluation: Turn, outcome: ExchangeOutcome, measured: Measured): void {
  const { context, read, usageMeter } = evaluation;
  const { meter, mode, log, placement } = context;
  const { ownMs, unread, reported } = measured;
  if (unread !== undefined) meter.passed?.(`unread-${unread}`);
  const verdict = finalVerdict(evaluation.action.verdict, outcome, mode);
  // What the API did not answer is sent again, and tells no more than before.
  const isStepless = outcome.answer !== undefined && evaluation.noteStepless();
  meter.exchange(verdict.verdict, ownMs / 1000, isStepless, read, placement);
  if (verdict.intervention !== undefined) meter.intervention(verdict.verdict, verdict.intervention.detector, placement);
  if (outcome.runaway !== undefined)
    meter.intervention(mode === "observe" ? "observe:cut" : "cut", "runaway-output", placement);
  logExchange(log, verdict, outcome, measured, usageMeter?.total());
  reported?.report({ evaluation, verdict, outcome, ownMs });
}

/** One line for each guarded exchange. `status` is 0 when no answer came, `broke` says why one broke off. */
function logExchange(
  log: Log,
  { verdict, label: session, source, steps, read, intervention, counter }: Verdict,
  { status, answer, failure, runaway }: Observed,
  { ownMs, unread }: Measured,
  billed: MeteredUsage | undefined,
): void {
  // Of all that upstream was asked for this exchange; `estimated` where it did not count.
  const used = billed ?? answer?.usage;
  // Written out, since it is made for every exchange: spreads would cost more than the line itself.
  const facts = {
    verdict,
    session,
    source,
    steps,
    read,
    unread,
    status,
    ownMs: Math.round(ownMs * 100) / 100,
    finish: answer?.finishReason,
    broke: failure === undefined ? undefined : failureCode(failure),
    runaway,
    inputTokens: used?.inputTokens,
    outputTokens: used?.outputTokens,
    cachedInputTokens: used?.cachedInputTokens,
    cost: billed && billed.cost / 1_000_000,
    estimated: billed?.estimated || undefined,
    detector: intervention?.detector,
    rung: intervention?.rung,
    count: intervention?.count,
    repeats: intervention?.repeats,
    step: intervention?.at,
    tools: intervention?.tools,
    note: intervention?.note,
    foreseen: intervention?.foreseen,
    counter,
  };
  log.info(facts, "exchange");
}
