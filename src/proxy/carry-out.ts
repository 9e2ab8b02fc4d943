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
import { intercept, readReply, shownInstead } from "./intercept/intercept.ts";
import { askUpstream } from "./relay/ask-upstream.ts";
import type { Destination } from "./relay/forward.ts";
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
  const { action, context, interception } = evaluation;
  const { answer, exchange, report } = terms;
  if (action.kind === "answer") {
    answerWith(answer, action.status, action.reply);
    return answeredHere(evaluation, action);
  }
  const ask = asking(evaluation, terms);
  const { gone } = exchange;
  const outcome = await (interception === undefined
    ? ask(action.change, answer)
    : intercept(action.change, answer, {
        ...interception,
        context,
        ask,
        gone,
        report,
        attempt: (run) => attempt(run, gone, context.log),
        containedAnswer: evaluation.containedAnswer,
        save: evaluation.save,
      }));
  const { request } = evaluation;
  if (outcome.unsaid !== true || !isGood(outcome.status) || action.end === undefined || request === undefined)
    return outcome;
  const own = ownAnswer(request, action.end, context);
  const ended = { ...answeredHere(evaluation, own), intervention: action.end, unsaid: true as const };
  report(ended);
  await evaluation.save(ended);
  answerWith(answer, own.status, own.reply);
  return ended;
}

type AnswerHere = Extract<Turn["action"], { readonly kind: "answer" }>;

function answeredHere(
  { request, context: { protocol } }: Turn,
  own: Pick<AnswerHere, "status" | "reply">,
): ExchangeOutcome {
  const shown = request && shownInstead(own, request, protocol);
  const { target = "" } = request ?? {};
  return { status: own.status, answer: undefined, shown, own: readReply(own, protocol, target)?.step };
}

/** Asks upstream, each time it is called. */
function asking(evaluation: Turn, { exchange, target, destination, body: { came, sent }, report }: CarryOutTerms) {
  const { action, context, request, usageMeter, runaway } = evaluation;
  const tap = answerTap(context.protocol, target, context.log);
  const { mode } = context;
  const errorEvent = (reason: unknown) =>
    reason instanceof UnloopError && reason.code === "upstream_timeout"
      ? context.protocol.error(failureOf(reason), "event", target).body
      : undefined;
  const reading = { mode, runaway, errorEvent, whenContained: evaluation.watchContainment };
  let times = 0;
  const askOnce = (body: string | undefined, reader: AnswerSink, isUnwanted?: (status: number) => boolean) => {
    const bytes = body === undefined ? came : evaluation.sent(body);
    const forwarding = { body: bytes, readable: true, sent: isLarge(came) ? sent : undefined, ...destination };
    const asked = without(exchange, body !== undefined && "content-encoding", times++ > 0 && "idempotency-key");
    const ask = (shown: typeof tap) => askUpstream(asked, forwarding, reader, { ...reading, isUnwanted, tap: shown });
    return usageMeter === undefined ? ask(tap) : usageMeter.charge(tap, ask);
  };
  return (change: Change | undefined, reader: AnswerSink): Promise<Observed> => {
    if (change === undefined) return askOnce(undefined, reader);
    const asked = `${context.protocol.name} ${destination.upstream.href} ${request?.model?.slice(0, MAX_MODEL)}`;
    const isEnding = action.kind === "forward" && action.end !== undefined;
    return askChanged(change, reader, { askOnce, context, asked, report, isEnding });
  };
}

/** Of a model's name, which clients choose. In characters. */
const MAX_MODEL = 200;

/** Others count until the exchange is over: they are not worth being watched. In bytes. */
const SMALL = 64 * 1024;

function isLarge(body: SentBody["came"]): boolean {
  return !(body instanceof Uint8Array) || body.byteLength > SMALL;
}

/** What is edited is sent in no coding, and by its client's key the second question would be answered as the first was. */
function without(exchange: Exchange, ...names: readonly (string | false)[]): Exchange {
  const dropped = names.filter((name) => name !== false && exchange.fields[name] !== undefined);
  if (dropped.length === 0) return exchange;
  const fields = Object.entries(exchange.fields).filter(([name]) => !dropped.includes(name));
  return { ...exchange, fields: Object.fromEntries(fields) };
}

/** Sends the guard's own answer where the upstream is not asked. */
export function answerFailure(failure: unknown, evaluation: Turn, { answer, report }: VerdictSink): ExchangeOutcome {
  const { context } = evaluation;
  const isContained = failure instanceof UnloopError && failure.code === "session_contained";
  const own = isContained ? evaluation.containedAnswer() : undefined;
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
  readonly context: Pick<RequestContext, "memory" | "clock" | "log" | "meter">;
  /** Name of what may refuse narrowings: an API and a model. */
  readonly asked: string;
  /** The plain request is only to show that the API works: a good answer to it is dropped. */
  readonly isEnding: boolean;
}

/** A failure of one moment must not count for ever. In milliseconds. */
const REFUSED_MS = 60 * 60 * 1000;

/**
 * Asks upstream in the guard's words. What the API refuses never reaches the reader as long as there is less to say: the notes
 * alone, then the plain request, whose answer passes whatever it is, since that is what the client would have heard.
 */
async function askChanged(change: Change, reader: AnswerSink, terms: ChangeTerms): Promise<Observed> {
  const { memory, clock } = terms.context;
  const { refusedNarrowings } = memory;
  const { narrowing } = change;
  const narrowed = `${narrowing?.kind} ${terms.asked}`;
  const isKnown = narrowing !== undefined && clock() - (refusedNarrowings.get(narrowed) ?? -REFUSED_MS) < REFUSED_MS;
  const { observed, as } = await askForms(formsOf(change, isKnown), reader, terms);
  if (as === "notes" && !isKnown && isGood(observed.status)) refusedNarrowings.set(narrowed, clock());
  return as === "plain" ? { ...observed, unsaid: true } : observed;
}

interface Form {
  readonly as: "change" | "notes" | "plain";
  readonly body: string;
}

type Forms = readonly [Form, ...Form[]];

function formsOf({ body, narrowing, plain }: Change, isRefused: boolean): Forms {
  const plainly: readonly Form[] = plain === undefined ? [] : [{ as: "plain", body: plain }];
  if (narrowing === undefined) return [{ as: "change", body }, ...plainly];
  const notes: Forms = [{ as: "notes", body: narrowing.notes }, ...plainly];
  return isRefused ? notes : [{ as: "change", body }, ...notes];
}

async function askForms(
  [form, next, ...others]: Forms,
  reader: AnswerSink,
  terms: ChangeTerms,
): Promise<{ readonly observed: Observed; readonly as: Form["as"] }> {
  const { context, isEnding } = terms;
  const isOver = (status: number) => isEnding && form.as === "plain" && isGood(status);
  const observed = await terms.askOnce(form.body, reader, next === undefined ? isOver : isRefusal);
  if (next === undefined || !isRefusal(observed.status)) return { observed, as: form.as };
  if (next.as === "plain") terms.report({ unsaid: true });
  if (next.as !== "change") context.meter.changeRefused?.(next.as);
  context.log.warn({ status: observed.status, instead: next.as }, "change-refused");
  return askForms([next, ...others], reader, terms);
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
