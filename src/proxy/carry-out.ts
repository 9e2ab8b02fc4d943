import { UnloopError } from "../errors.ts";
import {
  type Change,
  type Turn,
  type ExchangeOutcome,
  failureOf,
  type Observed,
  ownAnswer,
  type RequestContext,
} from "../evaluation/evaluation.ts";
import type { AnswerSink, Exchange } from "../transport/transport.ts";
import { answerTap, attempt } from "./fail-open.ts";
import type { ReceivedBody } from "./http/request-body.ts";
import { intercept, readReply, shownReply } from "./intercept/intercept.ts";
import { askUpstream } from "./relay/ask-upstream.ts";
import type { Destination } from "./relay/forward.ts";
import { retoldTo } from "./relay/observe.ts";
import { answerError, answerWith, type VerdictSink } from "./relay/send-reply.ts";

/** Where an exchange goes, and where its answer comes. */
export interface CarryOutTerms extends VerdictSink {
  readonly exchange: Exchange;
  /** As the format reads it. */
  readonly target: string;
  readonly destination: Destination;
  readonly body: SentBody;
}

interface SentBody extends Pick<ReceivedBody, "came"> {
  /** Told when it has left this process. */
  readonly sent: () => void;
}

/** Carries out what was decided. Resolves after the last byte of the answer. Rejects if no answer ever began. */
export async function carryOut(evaluation: Turn, terms: CarryOutTerms): Promise<ExchangeOutcome> {
  const { action, context, run } = evaluation;
  const { answer, exchange, report } = terms;
  if (action.kind === "answer") {
    answerWith(answer, action.status, action.reply);
    return answeredHere(evaluation, action);
  }
  const ask = asking(evaluation, terms);
  const { gone } = exchange;
  const outcome = await (run?.interception === undefined
    ? ask(action.change, answer)
    : intercept(action.change, answer, {
        ...run.interception,
        context,
        ask,
        gone,
        report,
        attempt: (run) => attempt(run, gone, context.log),
        containedAnswer: run.containedAnswer,
        save: run.save,
      }));
  const request = run?.request;
  if (outcome.unsaid !== true || !isGood(outcome.status) || action.end === undefined || request === undefined)
    return outcome;
  const own = ownAnswer(request, action.end, context);
  const ended = { ...answeredHere(evaluation, own), intervention: action.end, unsaid: true as const };
  report(ended);
  await run?.save(ended);
  answerWith(answer, own.status, own.reply);
  return ended;
}

type AnswerHere = Extract<Turn["action"], { readonly kind: "answer" }>;

function answeredHere(
  { run, context: { protocol } }: Turn,
  own: Pick<AnswerHere, "status" | "reply">,
): ExchangeOutcome {
  const request = run?.request;
  const { target = "" } = request ?? {};
  // To the upstream it is as if the request had never come: what it told of calls is still to be told.
  const unanswered = request?.conversation.steps.flatMap(({ calls }) => calls) ?? [];
  const shown = request && shownReply(own, { id: request.previousAnswerId, unanswered }, protocol, target);
  return { status: own.status, answer: undefined, shown, own: readReply(own, protocol, target)?.step };
}

/** Asks upstream, each time it is called. */
function asking(evaluation: Turn, { exchange, target, destination, body: { came, sent }, report }: CarryOutTerms) {
  const { action, context, run } = evaluation;
  const { request, usageMeter, runaway } = run ?? {};
  const tap = answerTap(context.protocol, target, context.log);
  const { mode } = context;
  const errorEvent = (reason: unknown) =>
    reason instanceof UnloopError && reason.code === "upstream_timeout"
      ? context.protocol.error(failureOf(reason), "event", target).body
      : undefined;
  const reading = { mode, runaway, errorEvent, whenContained: run?.watchContainment };
  let times = 0;
  const askOnce = (body: string | undefined, reader: AnswerSink, isUnwanted?: (status: number) => boolean) => {
    const bytes = (body === undefined ? undefined : run?.sent(body)) ?? came;
    const forwarding = { body: bytes, readable: true, sent: isLarge(came) ? sent : undefined, ...destination };
    const asked = without(exchange, body !== undefined && "content-encoding", times++ > 0 && "idempotency-key");
    const ask = (shown: typeof tap) => askUpstream(asked, forwarding, reader, { ...reading, isUnwanted, tap: shown });
    return usageMeter === undefined ? ask(tap) : usageMeter.charge(tap, ask);
  };
  return (change: Change | undefined, reader: AnswerSink): Promise<Observed> => {
    if (change === undefined) return askOnce(undefined, reader);
    const asked = `${context.protocol.name} ${destination.upstream.href} ${request?.model?.slice(0, MAX_MODEL)}`;
    const isEnding = action.kind === "forward" && action.end !== undefined;
    return askChanged(change, reader, { askOnce, context, target, asked, report, isEnding });
  };
}

/** Of a model's name, which clients choose. In characters. */
const MAX_MODEL = 200;

/** Smaller ones count until the exchange is over: they are not worth being watched. In bytes. */
const SMALL = 64 * 1024;

function isLarge(body: SentBody["came"]): boolean {
  return body instanceof Uint8Array && body.byteLength > SMALL;
}

/** What is edited is sent in no coding, and by its client's key the second question would be answered as the first was. */
function without(exchange: Exchange, ...names: readonly (string | false)[]): Exchange {
  const dropped = names.filter((name) => name !== false && exchange.fields[name] !== undefined);
  if (dropped.length === 0) return exchange;
  const fields = Object.entries(exchange.fields).filter(([name]) => !dropped.includes(name));
  return { ...exchange, fields: Object.fromEntries(fields) };
}

/** Sends the guard's own answer where the upstream is not asked. */
export function answerFailure(
  failure: unknown,
  { context, run }: Turn,
  { answer, report }: VerdictSink,
): ExchangeOutcome {
  const isContained = failure instanceof UnloopError && failure.code === "session_contained";
  const own = isContained ? run?.containedAnswer() : undefined;
  if (own === undefined)
    return { status: answerError(answer, context.protocol, failure, context), answer: undefined, failure };
  report({ contained: true });
  answerWith(answer, own.status, own.reply);
  return { status: own.status, answer: undefined, contained: true };
}

type IsStatus = (status: number) => boolean;

interface ChangeTerms extends Pick<VerdictSink, "report"> {
  /** One request upstream, its answer to the reader unless its status is unwanted. Rejects if no answer ever began. */
  readonly askOnce: (body: string, reader: AnswerSink, isUnwanted: IsStatus) => Promise<Observed>;
  readonly context: Pick<RequestContext, "memory" | "clock" | "log" | "meter" | "protocol">;
  /** As the format reads it. */
  readonly target: string;
  /** Name of what may refuse a change: an API and a model. */
  readonly asked: string;
  /** The plain request is only to show that the API works: a good answer to it is dropped. */
  readonly isEnding: boolean;
}

/** A failure of one moment must not count for ever. In milliseconds. */
const REFUSED_MS = 60 * 60 * 1000;

/**
 * Asks upstream in the guard's words. What the API refuses never reaches the reader as long as there is less to say: without the
 * begun turn, the notes alone, then the plain request, whose answer passes whatever it is, since that is what the client would have heard.
 */
async function askChanged({ body, forms }: Change, reader: AnswerSink, terms: ChangeTerms): Promise<Observed> {
  const { context, report, isEnding } = terms;
  const { refusedChanges } = context.memory;
  const nameOf = ({ as, narrowing }: ChangeForm) => `${narrowing ?? as} ${terms.asked}`;
  const refusedAt = (form: ChangeForm) => refusedChanges.get(nameOf(form)) ?? -REFUSED_MS;
  const left = forms.filter((form) => form === forms.at(-1) || context.clock() - refusedAt(form) >= REFUSED_MS);
  let form = left.shift() ?? { as: "change", body };
  let refused: ChangeForm | undefined;
  for (let next = left.shift(); ; next = left.shift()) {
    const isPlain = form.as === "plain";
    const isOver = (status: number) => isEnding && isPlain && isGood(status);
    const observed = await askForm(form, reader, next === undefined ? isOver : isRefusal, terms);
    if (next === undefined || !isRefusal(observed.status)) {
      if (refused !== undefined && !isPlain && isGood(observed.status))
        refusedChanges.set(nameOf(refused), context.clock());
      return isPlain ? { ...observed, unsaid: true } : observed;
    }
    if (next.as === "plain") report({ unsaid: true });
    if (next.as !== "begun") context.meter.changeRefused?.(next.as);
    context.log.warn({ status: observed.status, instead: next.as }, "change-refused");
    [refused, form] = [form, next];
  }
}

type ChangeForm = Change["forms"][number];

/** Where the model went on behind a beginning, the reader gets that, too. */
async function askForm(
  { body, framed }: ChangeForm,
  reader: AnswerSink,
  isUnwanted: IsStatus,
  { askOnce, context: { protocol }, target }: ChangeTerms,
): Promise<Observed> {
  if (framed === undefined) return askOnce(body, reader, isUnwanted);
  const observed = await askOnce(body, retoldTo(reader, { protocol, target }, framed), isUnwanted);
  const { answer } = observed;
  if (answer === undefined) return observed;
  return { ...observed, answer: { ...answer, step: { ...answer.step, text: framed(answer.step.text) } } };
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
