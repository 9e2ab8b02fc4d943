import type { UnloopError } from "../errors.ts";
import type { AnswerSink, Fields } from "../transport/transport.ts";
import type { ExchangeContext } from "./guard-context.ts";
import type { ExchangeOutcome, InterceptContext } from "./intercept/context.ts";
import { intercept } from "./intercept/intercept.ts";
import { readReply, shownInstead } from "./intercept/shown-reply.ts";
import { askUpstream } from "./relay/ask-upstream.ts";
import type { Observed, Onlookers } from "./relay/observe.ts";
import { answerWith } from "./relay/send-reply.ts";
import { type SpeculativeCall, type UpstreamCall, upstreamCall } from "./relay/upstream-call.ts";
import type { UsageMeter } from "../evaluation/usage-meter.ts";
import type { VerdictSink } from "./relay/verdict.ts";
import type { ArrivedRequest } from "../evaluation/read/incoming-request.ts";
import { watchContainment } from "../evaluation/act/containment.ts";
import type { Decided } from "../evaluation/whole-history.ts";

/** What an exchange is carried out with: where its answer goes, and how what fails beside it is caught. */
export interface CarryOutTerms extends VerdictSink, Pick<InterceptContext, "keep" | "attempt" | "containedAnswer"> {
  readonly fold: Onlookers["fold"];
  /** The request as it came, if that is on its way already. */
  readonly speculative: SpeculativeCall | undefined;
}

/** Carries out what was decided. Resolves after the last byte of the answer. Rejects if no answer ever began. */
export async function carryOut(
  decided: Decided,
  arrived: ArrivedRequest,
  { answer, fold, speculative, ...terms }: CarryOutTerms,
  context: ExchangeContext,
): Promise<ExchangeOutcome> {
  const { action } = decided;
  if (action.kind === "answer") {
    speculative?.withdraw();
    answerWith(answer, action.status, action.reply);
    const shown =
      decided.kind === "judged" ? shownInstead(action, decided.considered.request, context.protocol) : undefined;
    const own = readReply(action, context.protocol)?.step;
    return { status: action.status, answer: undefined, shown, own };
  }
  const runaway = decided.kind === "unread" ? undefined : decided.runaway;
  const usageMeter = usageMeterOf(decided);
  const whenContained = (end: (reason: UnloopError) => void) => watchContainment(decided, end, context);
  let waiting = speculative;
  const ask = (body: string | undefined, reader: AnswerSink, again = false): Promise<Observed> => {
    const goesOn = body === undefined && !again ? waiting : undefined;
    if (goesOn === undefined) waiting?.withdraw();
    const isSecond = again || speculative !== undefined;
    waiting = undefined;
    const call = goesOn ?? callOf(decided, arrived, { body, again: isSecond }, context);
    const asked = (shown: typeof fold) =>
      askUpstream(call, reader, { mode: context.mode, runaway, fold: shown, whenContained });
    return usageMeter === undefined ? asked(fold) : usageMeter.charge(fold, asked);
  };
  if (decided.kind !== "judged" || decided.lookahead === undefined) return ask(action.body, answer);
  const { considered, lookahead } = decided;
  const { gone } = arrived.exchange;
  return intercept(action.body, answer, { ...context, ...terms, considered, lookahead, ask, gone });
}

interface Asked {
  /** In place of the client's. */
  readonly body: string | undefined;
  /** The client's request has been asked before, and this is another one. */
  readonly again: boolean;
}

function callOf(
  decided: Decided,
  { exchange, bytes }: ArrivedRequest,
  { body, again }: Asked,
  { transport, upstream, upstreamKey }: ExchangeContext,
): UpstreamCall {
  const sent = body === undefined || decided.kind !== "judged" ? bytes : decided.whole(body);
  const asked = again ? { ...exchange, fields: withoutKey(exchange.fields) } : exchange;
  return upstreamCall(asked, { transport, upstream, upstreamKey, body: sent, readable: true });
}

/** By the client's key the second question would be answered as the first was. */
function withoutKey({ "idempotency-key": _, ...fields }: Fields): Fields {
  return fields;
}

export function usageMeterOf(decided: Decided): UsageMeter | undefined {
  return decided.kind === "judged" ? decided.usageMeter : undefined;
}
