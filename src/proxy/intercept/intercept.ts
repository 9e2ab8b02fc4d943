import {
  type Change,
  changedRequest,
  type ExchangeOutcome,
  type Interception,
  type Observed,
  ownAnswer,
  type OwnAnswer,
  type RequestContext,
  type ShownAnswer,
} from "../../evaluation/evaluation.ts";
import { type Policy, type Rung, rungAfter, stages } from "../../policy/policy.ts";
import {
  type Answer,
  answerReader,
  lastForm,
  type Protocol,
  segmentBytes,
  splitStream,
  type StreamState,
} from "../../protocols/protocols.ts";
import { type HeldAnswer, holdback, type HoldbackTerms } from "./holdback.ts";
import { answerWith } from "../relay/send-reply.ts";
import type { Lookahead, PositionedIntervention } from "../../session/session.ts";
import type { AnswerSink, Signal } from "../../transport/transport.ts";

/** Context for intercepting an answer. */
export interface InterceptContext extends Interception {
  readonly context: RequestContext;
  /**
   * One request upstream, its answer to `reader`. Rejects if no answer ever began.
   * @param change undefined: as the request came
   */
  readonly ask: (change: Change | undefined, reader: AnswerSink) => Promise<Observed>;
  /** Undefined where it rejects. */
  readonly attempt: <T>(run: () => Promise<T>) => Promise<T | undefined>;
  /** Where an operator has ended the session while the answer was kept. */
  readonly containedAnswer: () => OwnAnswer | undefined;
  /** Aborted when the client hangs up. */
  readonly gone: Signal;
  /** Told what is done about the answer, before its reader sees any of that. */
  readonly report: (outcome: Pick<ExchangeOutcome, "intervention" | "contained">) => void;
  /** Saves how it went, once; what is not saved here is saved behind the last byte. */
  readonly save: (outcome: ExchangeOutcome) => Promise<void>;
}

/** An answer that its reader does not have yet. */
interface HeldExchange {
  readonly held: HeldAnswer;
  readonly observed: Observed;
}

/** What comes of an answer. */
type Settled =
  /** The client has it already. */
  { readonly kind: "through"; readonly observed: Observed; readonly intervention: PositionedIntervention } | KeptAnswer;

interface KeptAnswer {
  readonly kind: "kept";
  readonly last: HeldExchange;
  readonly intervention?: PositionedIntervention | undefined;
  /** An answer of the guard's own, in the place of the one that is kept. */
  readonly own?: OwnAnswer;
}

/**
 * Asks upstream and passes the answer on, unless its step would complete a loop: then upstream is told so and asked
 * again, and what it says now goes on where the first answer was stopped. If that is no better, the rung decides:
 * after a nudge it may have its way, after a force-done the guard ends the run itself.
 */
export async function intercept(
  change: Change | undefined,
  client: AnswerSink,
  terms: InterceptContext,
): Promise<ExchangeOutcome> {
  const { evaluated, lookahead } = terms;
  const reader = headOnce(client);
  const stream = splitterFor(terms);
  const first = holdback(reader, { stream, candidates: candidatesOf(evaluated, lookahead) });
  const observed = await terms.ask(change, first);
  const held = first.held();
  if (held === undefined) return observed;
  const last = { held, observed };
  const settled = observed.contained
    ? undefined
    : await terms.attempt(() => settle(last, reader, change?.body ?? evaluated.body, terms));
  return deliver(settled ?? { kind: "kept", last }, reader, observed.answer?.id, terms);
}

/**
 * Splits an answer that is streamed. What is said may not go through before it is known what follows where it may be what is
 * done, or has to be one text of a demanded form, which words before a call that was kept back would spoil.
 * @param before the stream that it goes on in
 */
function splitterFor(
  { evaluated: { request }, context: { protocol } }: InterceptContext,
  before?: HeldAnswer["stream"],
): HoldbackTerms["stream"] {
  const decoder = before === undefined ? protocol.decoder(request.target) : protocol.resume(before.state, before.whole);
  return splitStream(decoder, request.hasTextActions || lastForm(request).isWhole);
}

/** Where one has gone through already, what was to follow it follows. */
function headOnce(reader: AnswerSink): AnswerSink {
  let sent = false;
  return {
    ...reader,
    head(status, fields) {
      if (!sent) reader.head(status, fields);
      sent = true;
    },
  };
}

/** Asks again once, if that is due. @param asked what upstream was asked */
async function settle(
  first: HeldExchange,
  reader: AnswerSink,
  asked: string,
  terms: InterceptContext,
): Promise<Settled> {
  const { lookahead, report, afterForceDone, context } = terms;
  let last = first;
  let intervention: PositionedIntervention | undefined;
  let next = leadsTo(last, lookahead);
  if (next !== undefined && !isLast(next)) {
    report({ intervention: next });
    const again = await askAgain(last, next, reader, asked, terms);
    if (again.kind === "through") return { ...again, intervention: next };
    last = again.last;
    if (again.kind === "answered") {
      intervention = next;
      const repeated = leadsTo(last, lookahead);
      next = leadsTo(last, afterForceDone(next)) ?? harder(repeated, next.intervention.rung, context.policy);
    }
  }
  if (next === undefined || !isLast(next)) return { kind: "kept", last, intervention };
  return { kind: "kept", last, intervention: next, own: endingFor(last, next, terms) };
}

/** @param firstId of the first answer: what goes on in its stream has its name */
async function deliver(
  settled: Settled,
  reader: AnswerSink,
  firstId: string | undefined,
  terms: InterceptContext,
): Promise<ExchangeOutcome> {
  if (settled.kind === "through") {
    const { observed, intervention } = settled;
    return { ...observed, intervention, shown: renamed(observed, firstId) };
  }
  const { last, own, intervention } = settled;
  const ended = terms.containedAnswer();
  if (ended !== undefined) {
    // What was kept back of a session that an operator has ended reaches nobody.
    terms.report({ contained: true });
    endWith(ended, last, reader, terms);
    return { ...last.observed, answer: undefined, contained: true };
  }
  terms.report(settled);
  const outcome = outcomeOf(settled, firstId, terms);
  // No history tells of it, and the client's next request may come faster than a store that is told behind the last byte.
  if (intervention !== undefined) await terms.save(outcome);
  if (own === undefined) release(last, reader);
  else endWith(own, last, reader, terms);
  return outcome;
}

function outcomeOf(
  { last: { held, observed }, intervention, own }: KeptAnswer,
  firstId: string | undefined,
  { gone, evaluated: { request }, context: { protocol } }: InterceptContext,
): ExchangeOutcome {
  const { status, answer } = observed;
  const isRenamed = held.stream?.state !== undefined;
  if (own === undefined) {
    const outcome = gone.aborted ? { status, answer: undefined, failure: gone.reason } : observed;
    return { ...outcome, intervention, shown: isRenamed ? renamed(observed, firstId) : undefined };
  }
  const before = { id: answer?.id, unanswered: answer?.step.calls ?? [] };
  const made = shownReply(own, before, protocol, request.target);
  const shown = made && isRenamed ? { ...made, id: firstId } : made;
  if (gone.aborted) return { status, answer: undefined, failure: gone.reason, intervention, shown };
  const step = readReply(own, protocol, request.target)?.step;
  return { status: held.seen ? status : own.status, answer: undefined, intervention, own: step, shown };
}

/** A second answer that goes on in the stream of the first one. */
function renamed({ answer }: Observed, firstId: string | undefined): ShownAnswer | undefined {
  if (answer === undefined || answer.id === firstId) return undefined;
  return { id: firstId, step: answer.step, isOwn: false, upstream: { id: answer.id, unanswered: [] } };
}

function isLast({ intervention }: PositionedIntervention): boolean {
  return intervention.rung === "short-circuit";
}

/** Next intervention if the model repeats itself after a note; undefined if it does something else. */
export function harder(
  repeats: PositionedIntervention | undefined,
  lastRung: Rung,
  policy: Policy,
): PositionedIntervention | undefined {
  if (repeats === undefined) return undefined;
  const { intervention } = repeats;
  const least = rungAfter(lastRung, policy);
  const rung = stages.indexOf(intervention.rung) > stages.indexOf(least) ? intervention.rung : least;
  return { ...repeats, intervention: { ...intervention, rung } };
}

/** The tools to keep back calls of; undefined, for all, where a request names its tools otherwise than its steps do. */
function candidatesOf({ request: { tools, toldAs } }: Interception["evaluated"], ahead: Lookahead) {
  const offered = new Set(tools.map(({ name }) => toldAs(name)));
  const isOffered = ahead.tools !== undefined && [...ahead.tools].every((tool) => offered.has(tool));
  return isOffered ? { has: (tool: string) => ahead.tools?.has(toldAs(tool)) === true } : undefined;
}

/** Intervention that the step in an answer would lead to. */
function leadsTo({ observed }: HeldExchange, lookahead: Lookahead | undefined): PositionedIntervention | undefined {
  return observed.answer === undefined ? undefined : lookahead?.predict(observed.answer.step);
}

/** The answer as it is, to its end. */
function release({ held }: HeldExchange, reader: AnswerSink): void {
  if (!held.seen) reader.head(held.status, held.fields);
  void reader.write(held.bytes);
  reader.end();
}

function endingFor(
  { held, observed }: HeldExchange,
  placed: PositionedIntervention,
  { evaluated: { request }, context }: InterceptContext,
): OwnAnswer {
  const answer = held.stream?.whole ?? held.bytes;
  const withheld = observed.answer && { step: observed.answer.step, seen: held.seen, answer };
  // Some upstreams stream unasked.
  const ask = { ...request, streams: request.streams || held.stream !== undefined };
  return ownAnswer(ask, placed, context, withheld);
}

/** An answer of the guard's own, in the place of the one that is kept or where that one was stopped. */
function endWith(
  { status, reply, events }: OwnAnswer,
  { held: { stream, seen, bytes } }: HeldExchange,
  reader: AnswerSink,
  { evaluated, context: { protocol } }: InterceptContext,
): void {
  if (stream === undefined) {
    const used = status === 200 ? new TextDecoder().decode(bytes) : "";
    answerWith(reader, status, { ...reply, body: protocol.addUsage(used, reply.body) });
  } else if (status !== 200 && !seen) answerWith(reader, status, reply);
  else {
    if (!seen) reader.head(status, { "content-type": reply.contentType, ...reader.ownFields?.() });
    const { target } = evaluated.request;
    const decoder = status === 200 ? protocol.resume(stream.state, stream.whole) : protocol.decoder(target);
    void reader.write(segmentBytes(splitStream(decoder, false), new TextEncoder().encode(events)));
    reader.end();
  }
}

/** Result of asking the model again. */
type SecondAnswer =
  /** There was too much of it to keep: its reader has it all, or has seen it break off. */
  | { readonly kind: "through"; readonly observed: Observed }
  /** It is kept in place of the first one; or no whole answer of the same sort came, and the first one is still good. */
  | { readonly kind: "answered" | "failed"; readonly last: HeldExchange };

/**
 * Asks upstream once more, with what its answer would lead to told in the request. The new answer goes on where the kept
 * one was stopped: what it says goes through, what it does is kept. @param question what upstream was asked before
 */
async function askAgain(
  first: HeldExchange,
  intervention: PositionedIntervention,
  reader: AnswerSink,
  question: string,
  terms: InterceptContext,
): Promise<SecondAnswer> {
  const { evaluated, context } = terms;
  const { protocol } = context;
  const change = changedRequest(evaluated, context, intervention);
  // Where nothing can be told, nothing else will be said.
  if (change.body === question) return { kind: "failed", last: first };
  const { stream } = first.held;
  const second = holdback(reader, {
    stream: splitterFor(terms, stream),
    candidates: undefined,
    insteadOf: first.held,
  });
  const observed = await terms.attempt(() => terms.ask(change, second));
  const held = second.held();
  if (observed !== undefined && second.isOpen()) return { kind: "through", observed };
  if (held !== undefined && observed?.answer !== undefined) {
    const whole = stream === undefined ? withUsage(first.held, held, protocol) : held;
    return { kind: "answered", last: { held: whole, observed } };
  }
  if (observed !== undefined && !terms.gone.aborted) context.log.warn({ status: observed.status }, "intercept-failed");
  const state = second.state();
  if (state === undefined || state === stream?.state) return { kind: "failed", last: first };
  return { kind: "failed", last: { ...first, held: behind(state, first.held, protocol) } };
}

function withUsage(first: HeldAnswer, second: HeldAnswer, protocol: Protocol): HeldAnswer {
  const decoder = new TextDecoder();
  const text = protocol.addUsage(decoder.decode(first.bytes), decoder.decode(second.bytes));
  const bytes = new TextEncoder().encode(text);
  const { "content-length": length, ...fields } = second.fields;
  const counted = length === undefined ? fields : { ...fields, "content-length": String(bytes.length) };
  return { ...second, fields: counted, bytes };
}

/** The first answer, behind words of a second one that broke off. */
function behind(state: StreamState, held: HeldAnswer, protocol: Protocol): HeldAnswer {
  // What the second one used is not known: it broke off.
  const stream = splitStream(protocol.resume(state, undefined), false);
  const bytes = segmentBytes(stream, held.bytes);
  return { ...held, bytes, seen: true, stream: { state, whole: stream.state() } };
}

type OwnReply = Pick<OwnAnswer, "reply"> & { readonly status: number };

/** An answer of the guard's own to a request at this URL, as its reader reads it. Undefined where it is an error. */
export function readReply({ status, reply }: OwnReply, protocol: Protocol, target: string): Answer | undefined {
  if (status !== 200) return undefined;
  const reader = answerReader(protocol, reply.contentType, undefined, target);
  reader.push(new TextEncoder().encode(reply.body));
  return reader.end();
}

/** The same with what goes before it upstream. Undefined where nothing refers to answers. */
export function shownReply(
  own: OwnReply,
  upstream: ShownAnswer["upstream"],
  protocol: Protocol,
  target: string,
): ShownAnswer | undefined {
  const answer = protocol.refersToAnswers ? readReply(own, protocol, target) : undefined;
  return answer && { id: answer.id, step: answer.step, isOwn: true, upstream };
}
