import {
  continuationOf,
  evaluate,
  headerMetadata,
  type IncomingRequest,
  incomingRequest,
  optionally,
  orUndefined,
  type RequestContext,
  unguardedEvaluation,
} from "../evaluation/evaluation.ts";
import { fallbackProtocol } from "../protocols/protocols.ts";
import { credentialsOf } from "../session/session.ts";
import type { Exchange } from "../transport/transport.ts";
import { answerFailure, carryOut } from "./carry-out.ts";
import { type ReportedExchange, reportedExchange } from "./exchange-report.ts";
import { failOpen } from "./fail-open.ts";
import type { GuardContext } from "./guard-context.ts";
import { type RequestEndpoint, endpointOf, treatmentOf } from "./http/endpoint.ts";
import { passingEndpoint } from "./http/passing-endpoints.ts";
import { askOwnUpstream } from "./relay/ask-judge.ts";
import { type Destination, forward } from "./relay/forward.ts";
import { answerError } from "./relay/send-reply.ts";
import { verdictSink } from "./relay/verdict-sink.ts";
import { reportExchange } from "./report-exchange.ts";

/** One exchange, from the first byte of the request to the last of the answer and the record of it. Never rejects. */
export async function guard(exchange: Exchange, shared: GuardContext): Promise<void> {
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
  { exchange, pathSession, upstream }: RequestEndpoint,
  destination: Destination,
  context: RequestContext,
  { bodyBudget, configuration: { maxBodyBytes, observer } }: GuardContext,
): Promise<void> {
  const reported = observer && reportedExchange(exchange, { upstream, clock: context.clock, observer });
  const metadata = headerMetadata(exchange, pathSession, context);
  const hold = bodyBudget.open(credentialsOf(metadata));
  try {
    const bytes = await exchange.body(maxBodyBytes, hold.take);
    const start = context.clock();
    const incoming = incomingRequest(exchange, metadata, bytes, context);
    await evaluated(incoming, { exchange, destination, context, reported, start });
  } finally {
    hold.release();
  }
}

interface Exchanging {
  readonly exchange: Exchange;
  readonly destination: Destination;
  readonly context: RequestContext;
  readonly reported: ReportedExchange | undefined;
  /** When its body was there, on the guard's clock. */
  readonly start: number;
}

async function evaluated(incoming: IncomingRequest, exchanging: Exchanging): Promise<void> {
  const { exchange, destination, context, reported, start } = exchanging;
  const continuation = optionally(() => continuationOf(incoming, context), context, "turn-failed");
  const unguarded = () => unguardedEvaluation(incoming, context);
  const evaluation = await failOpen(() => evaluate(incoming, continuation, context), unguarded, context.log);
  const ownMs = context.clock() - start;
  const sink = verdictSink(reported?.answer ?? exchange.answer, evaluation.action.verdict, ownMs);
  const carrying = carryOut(evaluation, { exchange, destination, ...sink })
    .catch((failure: unknown) => answerFailure(failure, evaluation, sink))
    .finally(evaluation.close);
  const consulted = evaluation.consult((question, timeoutMs) =>
    orUndefined(askOwnUpstream(question, { timeoutMs, exchange, destination, protocol: context.protocol })),
  );
  const outcome = await carrying;
  reportExchange(evaluation, outcome, { ownMs, reported });
  await evaluation.record(outcome);
  // Awaited for platforms that end pending work with the exchange.
  await consulted;
}
