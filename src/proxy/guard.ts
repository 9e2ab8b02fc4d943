import { UnloopError } from "../errors.ts";
import {
  evaluate,
  type ExchangeOutcome,
  fieldOf,
  finalVerdict,
  headerMetadata,
  incomingRequest,
  type IncomingRequest,
  isRefused,
  type Log,
  type MeteredUsage,
  type Observed,
  orUndefined,
  type Placement,
  type RequestContext,
  type Turn,
  unguardedTurn,
  type Verdict,
} from "../evaluation/evaluation.ts";
import { fallbackProtocol } from "../protocols/protocols.ts";
import { answerFailure, carryOut, type CarryOutTerms } from "./carry-out.ts";
import { failOpen } from "./fail-open.ts";
import type { GuardContext } from "./guard-context.ts";
import { endpointOf, passingEndpoint, type RequestEndpoint, treatmentOf } from "./http/endpoint.ts";
import { readBody, type UnreadReason, whyUnread } from "./http/request-body.ts";
import { askOwnUpstream } from "./relay/ask-upstream.ts";
import { type Destination, forward } from "./relay/forward.ts";
import { answerError, type VerdictSink, verdictSink } from "./relay/send-reply.ts";
import { credentialsOf, type Intervention, type Ledger } from "../session/session.ts";
import type { SessionKey, ThreadKey } from "../store/store.ts";
import type { AnswerSink, Exchange } from "../transport/transport.ts";

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
  { bodyBudget, transport, configuration: { maxBodyBytes, readBytes, observer } }: GuardContext,
): Promise<void> {
  const reported = observer && reportedExchange(exchange, { upstream, clock: context.clock, observer });
  const metadata = headerMetadata(exchange, pathSession, context);
  const hold = bodyBudget.open(credentialsOf(metadata));
  try {
    const { came, plain } = await readBody(exchange, { hold, maxBytes: maxBodyBytes, readBytes, transport });
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

/** Report of a guarded exchange: no text of the conversation, no credential. */
export interface ExchangeReport {
  /** Name of the wire format. */
  readonly wire: string;
  /** Undefined where nothing was sent: the guard has answered itself. */
  readonly upstream: URL | undefined;
  /** Undefined where the request names none, or was not read whole. */
  readonly model: string | undefined;
  readonly session: string | undefined;
  /** Its key in the directory, which no other tenant's session has; undefined where it was not named. */
  readonly sessionKey: SessionKey | undefined;
  readonly mode: string;
  readonly policy: string;
  /** Where the operator's configuration puts it. */
  readonly placement: Placement;
  readonly verdict: string;
  readonly intervention: Intervention | undefined;
  /** 0 when no answer came. */
  readonly status: number;
  /** Why the answer broke off, or never began; a stable code. */
  readonly failure: string | undefined;
  readonly responseId: string | undefined;
  /** The model that answered, as the upstream names it. */
  readonly responseModel: string | undefined;
  readonly finishReason: string | undefined;
  readonly usage: ReportedUsage | undefined;
  /** The answer was cut off, or would have been, because it repeated itself. */
  readonly cut: boolean;
  /** The guard's own time before forwarding. Milliseconds. */
  readonly ownMs: number;
  /** From the request's arrival to the answer's first byte; undefined where none came. Milliseconds. */
  readonly firstByteMs: number | undefined;
  /** From the request's arrival to the answer's last byte. Milliseconds. */
  readonly durationMs: number;
  /** The thread with the request's last step counted; undefined where it was not read, or the upstream refused the key. */
  readonly run: ReportedRun | undefined;
  /** The trace that the client is in, as W3C Trace Context has it. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

export interface ReportedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
}

/** What is known of a thread: no texts, but what the detectors compare. Its last step may still get an outcome. */
export interface ReportedRun extends Pick<Ledger, "total" | "window" | "requestedRepeats" | "compactions"> {
  readonly thread: ThreadKey;
}

/** Told of each guarded exchange behind its last byte. What it throws is ignored. */
export type ExchangeObserver = (report: ExchangeReport) => void;

interface FinishedExchange {
  readonly evaluation: Turn;
  readonly verdict: Verdict;
  readonly outcome: ExchangeOutcome;
  readonly ownMs: number;
}

/** Watches one exchange for a report. */
export interface ReportedExchange {
  readonly answer: AnswerSink;
  /** Tells the observer. */
  report(finished: FinishedExchange): void;
}

/** Times an exchange from here on. @param clock milliseconds, monotonic */
export function reportedExchange(
  exchange: Exchange,
  {
    upstream,
    clock,
    observer,
  }: { readonly upstream: URL; readonly clock: () => number; readonly observer: ExchangeObserver },
): ReportedExchange {
  const start = clock();
  let firstByteMs: number | undefined;
  return {
    answer: timedAnswer(exchange.answer, () => {
      firstByteMs ??= clock() - start;
    }),
    report({ evaluation, verdict, outcome, ownMs }) {
      const { protocol, mode, policy, placement } = evaluation.context;
      const { status, answer, failure, runaway } = outcome;
      observer({
        wire: protocol.name,
        upstream: evaluation.action.kind === "answer" ? undefined : upstream,
        model: evaluation.request?.model,
        session: verdict.label,
        sessionKey: evaluation.sessionKey(answer),
        mode,
        policy: policy.name,
        placement,
        verdict: verdict.verdict,
        intervention: verdict.intervention,
        status,
        failure: failure === undefined ? undefined : failureCode(failure),
        responseId: answer?.id,
        responseModel: answer?.model,
        finishReason: answer?.finishReason,
        usage: evaluation.usageMeter?.total() ?? answer?.usage,
        cut: runaway !== undefined,
        ownMs,
        firstByteMs,
        durationMs: clock() - start,
        run: isRefused(outcome) ? undefined : evaluation.run && { ...evaluation.run.tip, ...evaluation.run.identity },
        traceparent: fieldOf(exchange, "traceparent"),
        tracestate: fieldOf(exchange, "tracestate"),
      });
    },
  };
}

function timedAnswer(answer: AnswerSink, written: () => void): AnswerSink {
  return {
    head: (status, fields) => answer.head(status, fields),
    write(bytes) {
      written();
      return answer.write(bytes);
    },
    end: () => answer.end(),
    fail: (reason) => answer.fail(reason),
    ownFields: answer.ownFields,
  };
}

/** A stable code for an answer that broke off, or never began. */
export function failureCode(failure: unknown): string {
  return failure instanceof UnloopError ? failure.code : "upstream_broke_off";
}
