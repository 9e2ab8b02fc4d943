import { UnloopError } from "../errors.ts";
import type { Evaluation, ExchangeOutcome, Observed } from "../evaluation/evaluation.ts";
import type { AnswerSink, Exchange, Fields } from "../transport/transport.ts";
import { answerTap, attempt } from "./fail-open.ts";
import { intercept } from "./intercept/intercept.ts";
import { readReply, shownInstead } from "./intercept/shown-reply.ts";
import { askUpstream, upstreamCall } from "./relay/ask-upstream.ts";
import type { Destination } from "./relay/forward.ts";
import { answerError, answerWith } from "./relay/send-reply.ts";
import type { VerdictSink } from "./relay/verdict-sink.ts";

/** Where an exchange goes, and where its answer comes. */
export interface CarryOutTerms extends VerdictSink {
  readonly exchange: Exchange;
  readonly destination: Destination;
}

/** Carries out what was decided. Resolves after the last byte of the answer. Rejects if no answer ever began. */
export async function carryOut(evaluation: Evaluation, terms: CarryOutTerms): Promise<ExchangeOutcome> {
  const { action, context, interception } = evaluation;
  const { answer, exchange, report } = terms;
  if (action.kind === "answer") return answerHere(evaluation, action, answer);
  const ask = asking(evaluation, terms);
  if (interception === undefined) return ask(action.body, answer);
  const { gone } = exchange;
  return intercept(action.body, answer, {
    ...interception,
    context,
    ask,
    gone,
    report,
    attempt: (run) => attempt(run, gone, context.log),
    containedAnswer: evaluation.containedAnswer,
    save: evaluation.save,
  });
}

type AnswerHere = Extract<Evaluation["action"], { readonly kind: "answer" }>;

function answerHere(
  { request, context: { protocol } }: Evaluation,
  action: AnswerHere,
  answer: AnswerSink,
): ExchangeOutcome {
  answerWith(answer, action.status, action.reply);
  const shown = request && shownInstead(action, request, protocol);
  const { target = "" } = request ?? {};
  return { status: action.status, answer: undefined, shown, own: readReply(action, protocol, target)?.step };
}

/** Asks upstream, each time it is called. */
function asking(evaluation: Evaluation, { exchange, destination }: CarryOutTerms) {
  const { context, usageMeter, runaway } = evaluation;
  const tap = answerTap(context.protocol, exchange.target, context.log);
  return (body: string | undefined, reader: AnswerSink, again = false): Promise<Observed> => {
    const terms = { body: evaluation.sent(body), readable: true, ...destination };
    const call = upstreamCall(again ? withoutKey(exchange) : exchange, terms);
    const { mode } = context;
    const ask = (shown: typeof tap) =>
      askUpstream(call, reader, { mode, runaway, tap: shown, whenContained: evaluation.watchContainment });
    return usageMeter === undefined ? ask(tap) : usageMeter.charge(tap, ask);
  };
}

/** By the client's key the second question would be answered as the first was. */
function withoutKey(exchange: Exchange): Exchange {
  const { "idempotency-key": _, ...fields }: Fields = exchange.fields;
  return { ...exchange, fields };
}

/** Sends the guard's own answer where the upstream is not asked. */
export function answerFailure(
  failure: unknown,
  evaluation: Evaluation,
  { answer, report }: VerdictSink,
): ExchangeOutcome {
  const { context } = evaluation;
  const isContained = failure instanceof UnloopError && failure.code === "session_contained";
  const own = isContained ? evaluation.containedAnswer() : undefined;
  if (own === undefined)
    return { status: answerError(answer, context.protocol, failure, context), answer: undefined, failure };
  report({ contained: true });
  answerWith(answer, own.status, own.reply);
  return { status: own.status, answer: undefined, contained: true };
}
