import { fallbackProtocol, protocolFor } from "../protocols/protocols.ts";
import { UnloopError } from "../errors.ts";
import { credentialsOf } from "../session/session.ts";
import type { Exchange } from "../transport/transport.ts";
import { answerError } from "./relay/send-reply.ts";
import type { Decided } from "./request/decide-request.ts";
import type { ExchangeOutcome } from "./intercept/context.ts";
import { fieldOf, type HeaderMetadata, headerMetadata, withOverrides } from "./request/request-metadata.ts";
import { forward, wantsWebSocket } from "./relay/forward.ts";
import { routeOf } from "./relay/routes.ts";
import { type SpeculativeCall, speculativeCall } from "./relay/upstream-call.ts";
import type { ContextChoice, ExchangeContext, GuardContext } from "./guard-context.ts";
import { clientOf, upstreamKeyOf } from "./request/clients.ts";
import { type ArrivedRequest, arrivedRequest } from "./request/cache-keys.ts";
import { type ReportedExchange, reportedExchange } from "./exchange-report.ts";
import { logExchange } from "./log.ts";
import { usageMeterOf } from "./carry-out.ts";
import { quietly } from "./harmless.ts";
import { countExchange } from "./meter.ts";
import { containmentOf } from "./request/contained.ts";
import { isRefused } from "./settle/record.ts";
import { noteUntold } from "./settle/untold-sessions.ts";
import {
  asksJudge,
  carryOutSafely,
  consultSafely,
  containSafely,
  decideSafely,
  noteSafely,
  recordSafely,
  turnSafely,
} from "./safely.ts";
import { isOtherSpelling } from "./request/other-spelling.ts";
import { sessionInPath } from "./request/session-path.ts";
import { cachedTurn, type FoundContinuation, continuationOf, mayForwardFirst } from "./request/cached-turn.ts";
import { verdictSink, withCut } from "./relay/verdict.ts";

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
      throw new UnloopError("upgrade_required", "This API is guarded only over HTTP.");
    const choice = context.rules.choose({ path, header, tenant: client?.tenant, client: client?.name });
    const chosen = spoken && withOverrides(arrived, contextOf({ choice, client, protocol: spoken, upstream }));
    const isOff = chosen !== undefined && chosen.mode === "off" && "terms" in choice;
    if (chosen === undefined && context.unreadable === "refuse" && isOtherSpelling(exchange, path))
      throw new UnloopError("unreadable", "The path is an unusual spelling of a guarded one.");
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
    if (speculative !== undefined) await chosen.transport.untilSent?.();
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
  continuation: FoundContinuation | undefined,
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
