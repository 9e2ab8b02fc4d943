import { UnloopError } from "../errors.ts";
import {
  consult,
  evaluate,
  type ExchangeOutcome,
  fieldOf,
  finalVerdict,
  noteStepless,
  orUndefined,
  recordTurn,
  type RequestContext,
  sessionKeyOf,
  type Turn,
  unguardedTurn,
  type Verdict,
} from "../evaluation/evaluation.ts";
import { fallbackProtocol } from "../protocols/protocols.ts";
import { answerFailure, carryOut } from "./carry-out.ts";
import { failOpen, noThrow } from "./fail-open.ts";
import type { ExchangeObserver, ExchangeReport, GuardContext } from "./guard-context.ts";
import { endpointOf, headerMetadata, passingEndpoint, type RequestEndpoint, treatmentOf } from "./http/endpoint.ts";
import { readBody, type UnreadReason, whyUnread } from "./http/request-body.ts";
import { askQuestion } from "./relay/ask-upstream.ts";
import { type Destination, forward } from "./relay/forward.ts";
import { answerError, verdictSink } from "./relay/send-reply.ts";
import { credentialsOf } from "../session/session.ts";
import type { Exchange } from "../transport/transport.ts";

/** One exchange, from the first byte of the request to the last of the answer and the record of it. Never rejects. */
export async function guard(incoming: Exchange, shared: GuardContext): Promise<void> {
  const exchange = shared.withOrigin(incoming);
  let protocol = fallbackProtocol;
  try {
    const endpoint = endpointOf(exchange, shared);
    protocol = endpoint.protocol ?? fallbackProtocol;
    const { destination, context } = treatmentOf(endpoint, shared);
    if (endpoint.protocol === undefined) shared.services.meter.passed?.(passingEndpoint(endpoint));
    if (context === undefined) await forward(endpoint.exchange, destination);
    else await guarded({ destination, context, ...endpoint }, shared);
  } catch (error) {
    answerError(exchange.answer, protocol, error, shared.services);
  }
}

interface GuardedEndpoint extends Pick<RequestEndpoint, "exchange" | "target" | "pathSession"> {
  readonly destination: Destination;
  readonly context: RequestContext;
}

async function guarded(endpoint: GuardedEndpoint, shared: GuardContext): Promise<void> {
  const { exchange, target, pathSession, destination, context } = endpoint;
  const { clock, log, protocol } = context;
  const arrivedAt = clock();
  const metadata = headerMetadata(exchange, pathSession, context);
  const hold = shared.bodyBudget.open(credentialsOf(metadata));
  try {
    const { came, plain } = await readBody(exchange, hold, shared.transport, shared.configuration);
    const readAt = clock();
    const received = { target, fields: exchange.fields, metadata, bytes: plain };
    const turn = await failOpen(
      () => evaluate(received, context),
      (facts) => {
        log.error(facts, "guard-failed");
        return unguardedTurn(received, context);
      },
    );
    const ownMs = clock() - readAt;
    const unread = turn.read === "unread" && turn.context.mode !== "off" ? (turn.why ?? whyUnread(plain)) : undefined;
    const sink = verdictSink(exchange.answer, turn.action.verdict, { ownMs, unread, clock });
    const carrying = carryOut(turn, { exchange, target, destination, came, sent: hold.release, ...sink })
      .catch((failure: unknown) => answerFailure(failure, turn, sink))
      .finally(() => turn.run && turn.ticket.over());
    const consulted =
      turn.run &&
      consult(turn, (question, timeoutMs) =>
        orUndefined(askQuestion({ ...question, protocol }, exchange.fields, timeoutMs, destination)),
      );
    const outcome = await carrying;
    const { observer } = shared.configuration;
    await record(turn, outcome, { endpoint, observer, ownMs, unread, arrivedAt, firstByteAt: sink.firstByteAt() });
    // Awaited for platforms that end pending work with the exchange.
    await consulted;
  } finally {
    hold.release();
  }
}

interface RecordTerms extends Readonly<Record<"ownMs" | "arrivedAt", number>> {
  readonly endpoint: GuardedEndpoint;
  readonly observer: ExchangeObserver | undefined;
  readonly unread: UnreadReason | undefined;
  readonly firstByteAt: number | undefined;
}

/** Reports the exchange in metrics, log and to the observer, then saves what is known of its run by now. */
async function record(turn: Turn, outcome: ExchangeOutcome, terms: RecordTerms): Promise<void> {
  const { meter, mode, log, placement } = turn.context;
  const { ownMs, unread, observer } = terms;
  const verdict = finalVerdict(turn.action.verdict, outcome, mode);
  const report = exchangeReport(turn, verdict, outcome, terms);
  if (unread !== undefined) meter.passed?.(`unread-${unread}`);
  // What the API did not answer is sent again, and tells no more than before.
  const isStepless = outcome.answer !== undefined && turn.run !== undefined && noteStepless(turn);
  meter.exchange(verdict.verdict, ownMs / 1000, isStepless, turn.read, placement);
  if (verdict.intervention !== undefined) meter.intervention(verdict.verdict, verdict.intervention.detector, placement);
  if (report.cut) meter.intervention(mode === "observe" ? "observe:cut" : "cut", "runaway-output", placement);
  const { source, steps, read, counter } = verdict;
  const { status, session, finishReason: finish, failure: broke } = report;
  const { detector, rung, count, repeats, at: step, tools, note, foreseen } = verdict.intervention ?? {};
  const { inputTokens, outputTokens, cachedInputTokens } = report.usage ?? {};
  // Of all that upstream was asked for this exchange; `estimated` where it did not count.
  const { cost, estimated } = (turn.run && turn.usageMeter?.total()) ?? {};
  const facts = {
    verdict: verdict.verdict,
    ...{ session, source, steps, read, unread, status },
    ...{ ownMs: Math.round(ownMs * 100) / 100, finish, broke, runaway: outcome.runaway },
    ...{ inputTokens, outputTokens, cachedInputTokens },
    ...{ cost: cost && cost / 1_000_000, estimated: estimated || undefined },
    ...{ detector, rung, count, repeats, step, tools, note, foreseen, counter },
  };
  log.info(facts, "exchange");
  if (observer !== undefined) noThrow(observer)(report);
  if (turn.run !== undefined) await recordTurn(turn, outcome);
}

function exchangeReport(
  turn: Turn,
  verdict: Verdict,
  outcome: ExchangeOutcome,
  { endpoint: { exchange, destination }, ownMs, arrivedAt, firstByteAt }: RecordTerms,
): ExchangeReport {
  const { protocol, mode, policy, placement, clock } = turn.context;
  const known = turn.run && turn;
  const { status, answer, failure, runaway } = outcome;
  return {
    wire: protocol.name,
    upstream: turn.action.kind === "answer" ? undefined : destination.upstream,
    model: known?.request.asked.model || undefined,
    session: verdict.label,
    sessionKey: known && sessionKeyOf(known, answer),
    mode,
    policy: policy.name,
    placement,
    verdict: verdict.verdict,
    intervention: verdict.intervention,
    status,
    failure: failure instanceof UnloopError ? failure.code : failure === undefined ? undefined : "upstream_broke_off",
    responseId: answer?.id,
    responseModel: answer?.model,
    finishReason: answer?.finishReason,
    usage: known?.usageMeter?.total() ?? answer?.usage,
    cut: runaway !== undefined,
    ownMs,
    firstByteMs: firstByteAt === undefined ? undefined : firstByteAt - arrivedAt,
    durationMs: clock() - arrivedAt,
    traceparent: fieldOf(exchange, "traceparent"),
    tracestate: fieldOf(exchange, "tracestate"),
  };
}
