import { UnloopError } from "../errors.ts";
import {
  answerOnOrder,
  type Change,
  type ExchangeOutcome,
  failureOf,
  type Observed,
  ownAnswer,
  saveTurn,
  type Turn,
  watchContainment,
} from "../evaluation/evaluation.ts";
import { joinBytes } from "../text/bytes.ts";
import { type AnswerSink, type Exchange, withoutFields } from "../transport/transport.ts";
import { answerTap } from "./fail-open.ts";
import type { ReceivedBody } from "./http/request-body.ts";
import { intercept, ownOutcome } from "./intercept/intercept.ts";
import { askUpstream, isReadable, withoutLength } from "./relay/ask-upstream.ts";
import type { Destination } from "./relay/forward.ts";
import { answerError, answerWith, type VerdictSink } from "./relay/send-reply.ts";

export interface CarryOutTerms extends VerdictSink, Pick<ReceivedBody, "came"> {
  readonly exchange: Exchange;
  /** As the format reads it. */
  readonly target: string;
  readonly destination: Destination;
  /** Told when the body has left this process. */
  readonly sent: () => void;
}

/** Carries out what was decided. Resolves after the last byte of the answer. Rejects if no answer ever began. */
export async function carryOut(turn: Turn, terms: CarryOutTerms): Promise<ExchangeOutcome> {
  const { action, context } = turn;
  const { answer, report } = terms;
  if (action.kind === "answer") {
    answerWith(answer, action.status, action.reply);
    return answeredHere(turn, action);
  }
  const askOnce = asking(turn, terms);
  const ask = (change: Change | undefined, reader: AnswerSink) =>
    change === undefined ? askOnce(undefined, reader) : askChanged(change, reader, turn, terms, askOnce);
  const outcome =
    turn.run === undefined || turn.lookahead === undefined
      ? await ask(action.change, answer)
      : await intercept(action.change, {
          ...turn,
          ...{ lookahead: turn.lookahead, answer, report, ask, gone: terms.exchange.gone },
        });
  if (outcome.unsaid !== true || !isGood(outcome.status) || action.end === undefined || turn.run === undefined)
    return outcome;
  const own = ownAnswer(turn.request.whole(), action.end, context);
  const ended = { ...answeredHere(turn, own), intervention: action.end, unsaid: true as const };
  report(ended);
  await saveTurn(turn, ended);
  answerWith(answer, own.status, own.reply);
  return ended;
}

function answeredHere(turn: Turn, own: Parameters<typeof ownOutcome>[0]): ExchangeOutcome {
  const outcome = { status: own.status, answer: undefined };
  if (turn.run === undefined) return outcome;
  const { target, conversation, previousAnswerId: id } = turn.request.whole();
  // To the upstream it is as if the request had never come: what it told of calls is still to be told.
  const unanswered = conversation.steps.flatMap(({ calls }) => calls);
  return { ...outcome, ...ownOutcome(own, { id, unanswered }, turn.context.protocol, target) };
}

/** One request upstream, its answer to the reader unless its status is unwanted. Rejects if no answer ever began. */
function asking(turn: Turn, { exchange, target, destination, came, sent }: CarryOutTerms) {
  const { protocol, mode, log } = turn.context;
  const evaluation = turn.run && turn;
  const tap = answerTap(protocol, target, log);
  const errorEvent = (reason: unknown) =>
    reason instanceof UnloopError && reason.code === "upstream_timeout"
      ? protocol.error(failureOf(reason), "event", target).body
      : undefined;
  const whenContained = evaluation && ((end: (reason: UnloopError) => void) => watchContainment(evaluation, end));
  const reading = { mode, runaway: evaluation?.runaway, errorEvent, whenContained };
  let times = 0;
  return (changed: string | undefined, reader: AnswerSink, isUnwanted?: (status: number) => boolean) => {
    const body = (changed === undefined ? undefined : evaluation?.request.sent(changed)) ?? came;
    // What is edited is sent in no coding, and by its client's key the second question would be answered as the first was.
    const own = [...(changed === undefined ? [] : ["content-encoding"]), ...(times++ === 0 ? [] : ["idempotency-key"])];
    const asked = { ...exchange, fields: withoutFields(exchange.fields, ...own) };
    const ask = (shown: typeof tap) =>
      askUpstream(asked, { body, sent, readable: true, ...destination }, reader, {
        isUnwanted,
        tap: shown,
        ...reading,
      });
    return evaluation?.usageMeter === undefined ? ask(tap) : evaluation.usageMeter.charge(tap, ask);
  };
}

export function answerFailure(failure: unknown, turn: Turn, { answer, report }: VerdictSink): ExchangeOutcome {
  const { context } = turn;
  const isContained = failure instanceof UnloopError && failure.code === "session_contained";
  const own = isContained && turn.run !== undefined ? answerOnOrder(turn) : undefined;
  if (own === undefined)
    return { status: answerError(answer, context.protocol, failure, context), answer: undefined, failure };
  report({ contained: true });
  answerWith(answer, own.status, own.reply);
  return { status: own.status, answer: undefined, contained: true };
}

/** Of a model's name, which clients choose. In characters. */
const MAX_MODEL = 200;

/** A failure of one moment must not count for ever. In milliseconds. */
const REFUSED_MS = 60 * 60 * 1000;

type ChangeForm = Change["forms"][number];

/**
 * Asks upstream in the guard's words. What the API refuses never reaches the reader as long as there is less to say: without the
 * begun turn, the notes alone, then the plain request, whose answer passes whatever it is, since that is what the client would have heard.
 */
async function askChanged(
  { body, forms }: Change,
  reader: AnswerSink,
  turn: Turn,
  { destination, report }: CarryOutTerms,
  askOnce: ReturnType<typeof asking>,
): Promise<Observed> {
  const { action, context } = turn;
  const { refusedChanges } = context.memory;
  const model = turn.run && turn.request.asked.model.slice(0, MAX_MODEL);
  const nameOf = ({ as, narrowing }: ChangeForm) =>
    `${narrowing ?? as} ${context.protocol.name} ${destination.upstream.href} ${model}`;
  const refusedAt = (form: ChangeForm) => refusedChanges.get(nameOf(form)) ?? -REFUSED_MS;
  const left = forms.filter((form) => form === forms.at(-1) || context.clock() - refusedAt(form) >= REFUSED_MS);
  const isEnding = action.kind === "forward" && action.end !== undefined;
  let form = left.shift() ?? { as: "change", body };
  let refused: ChangeForm | undefined;
  for (let next = left.shift(); ; next = left.shift()) {
    const isPlain = form.as === "plain";
    // The plain request is only to show that the API works, where the run is to end: a good answer to it is dropped.
    const isOver = (status: number) => isEnding && isPlain && isGood(status);
    const isUnwanted = next === undefined ? isOver : isRefusal;
    const { framed } = form;
    const sink = framed === undefined || turn.run === undefined ? reader : framing(reader, turn, framed);
    const observed = await askOnce(form.body, sink, isUnwanted);
    if (next === undefined || !isRefusal(observed.status)) {
      if (refused !== undefined && !isPlain && isGood(observed.status))
        refusedChanges.set(nameOf(refused), context.clock());
      if (isPlain) return { ...observed, unsaid: true };
      const { answer } = observed;
      if (answer === undefined || framed === undefined) return observed;
      return { ...observed, answer: { ...answer, step: { ...answer.step, text: framed(answer.step.text) } } };
    }
    if (next.as === "plain") report({ unsaid: true });
    if (next.as !== "begun") context.meter.changeRefused?.(next.as);
    context.log.warn({ status: observed.status, instead: next.as }, "change-refused");
    [refused, form] = [form, next];
  }
}

/** More of an answer passes as it is. In bytes. */
const MAX_FRAMED = 1024 * 1024;

/** A reader that gets the beginning of a turn, too, where the model has gone on behind it. */
function framing(
  reader: AnswerSink,
  { request, context: { protocol } }: Extract<Turn, { readonly run: object }>,
  framed: (text: string) => string,
): AnswerSink {
  let contentType: string | undefined;
  let kept: Uint8Array[] = [];
  let size = 0;
  const release = (bytes: Uint8Array): Promise<void> | undefined => {
    kept = [];
    contentType = undefined;
    return bytes.length === 0 ? undefined : reader.write(bytes);
  };
  return {
    ...reader,
    head(status, fields) {
      if (isReadable(status, fields)) contentType = String(fields["content-type"] ?? "");
      reader.head(status, contentType === undefined ? fields : withoutLength(fields));
    },
    write(bytes) {
      if (contentType === undefined) return reader.write(bytes);
      kept.push(bytes);
      size += bytes.length;
      return size > MAX_FRAMED ? release(joinBytes(kept)) : undefined;
    },
    end() {
      if (contentType !== undefined)
        void release(protocol.retold(joinBytes(kept), { contentType, target: request.whole().target }, framed));
      reader.end();
    },
    fail(reason) {
      void release(joinBytes(kept));
      reader.fail(reason);
    },
  };
}

/** Refusals that have nothing to do with what was said: of a key, of the moment, of the rate. */
const OF_NO_REQUEST: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/** Whether it may be what was said that the API refuses. Overload and failures of gateways (503 and above) may not. */
function isRefusal(status: number): boolean {
  return status >= 400 && status <= 502 && !OF_NO_REQUEST.has(status);
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}
