import {
  type Change,
  changedRequest,
  type ExchangeOutcome,
  type Interception,
  type Observed,
  ownAnswer,
  type OwnAnswer,
  type ShownAnswer,
} from "../../evaluation/evaluation.ts";
import { type Policy, type Rung, rungAfter, stages } from "../../policy/policy.ts";
import {
  type Answer,
  answerReader,
  type ParsedRequest,
  type Protocol,
  type Reply,
  segmentBytes,
  splitStream,
  type StreamState,
} from "../../protocols/protocols.ts";
import { type HeldAnswer, type HeldExchange, holdback, type InterceptContext, mustBufferText } from "./holdback.ts";
import { answerWith } from "../relay/send-reply.ts";
import type { Lookahead, PositionedIntervention } from "../../session/session.ts";
import type { AnswerSink } from "../../transport/transport.ts";

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
  const { protocol } = terms.context;
  const reader = headOnce(client);
  const stream = splitStream(protocol.decoder(evaluated.request.target), mustBufferText(evaluated.request));
  const first = holdback(reader, { stream, candidates: candidatesOf(evaluated, lookahead) });
  const observed = await terms.ask(change, first);
  const held = first.held();
  if (held === undefined) return observed;
  const heldExchange = { held, observed };
  const settled = observed.contained
    ? undefined
    : await terms.attempt(() => settle(heldExchange, reader, change?.body ?? evaluated.body, terms));
  return deliver(settled ?? { kind: "kept", held: heldExchange }, reader, observed.answer?.id, terms);
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

/** Answer that the client gets. */
type Settled =
  /** Whether the client has it already. */
  | { readonly kind: "through"; readonly observed: Observed; readonly intervention: PositionedIntervention }
  | { readonly kind: "kept"; readonly held: HeldExchange; readonly intervention?: PositionedIntervention | undefined }
  /** An answer of the guard's own, in the place of the one that is kept. */
  | {
      readonly kind: "own";
      readonly held: HeldExchange;
      readonly intervention: PositionedIntervention;
      readonly own: OwnAnswer;
    };

/** Asks again once, if that is due. @param asked what upstream was asked */
async function settle(
  first: HeldExchange,
  reader: AnswerSink,
  body: string,
  terms: InterceptContext,
): Promise<Settled> {
  const { lookahead, report } = terms;
  const { policy } = terms.context;
  let held = first;
  let intervention: PositionedIntervention | undefined;
  let next = leadsTo(held, lookahead);
  if (next !== undefined && !isLast(next)) {
    report({ intervention: next });
    const again = await askAgain(held, next, reader, body, terms);
    if (again.kind === "through") return { ...again, intervention: next };
    held = again.held;
    if (again.kind !== "failed") {
      intervention = next;
      next =
        leadsTo(held, terms.afterForceDone(next)) ?? harder(leadsTo(held, lookahead), next.intervention.rung, policy);
    }
  }
  if (next === undefined || !isLast(next)) return { kind: "kept", held, intervention };
  return { kind: "own", held, intervention: next, own: endingFor(held, next, terms) };
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
  const ended = terms.containedAnswer();
  if (ended !== undefined) {
    // What was kept back of a session that an operator has ended reaches nobody.
    terms.report({ contained: true });
    endWith(ended, settled.held, reader, terms);
    return { ...settled.held.observed, answer: undefined, contained: true };
  }
  terms.report(settled);
  const outcome = { ...outcomeOf(settled, terms), shown: shownIn(settled, firstId, terms) };
  // No history tells of it, and the client's next request may come faster than a store that is told behind the last byte.
  if (settled.intervention !== undefined) await terms.save(outcome);
  if (settled.kind === "own") endWith(settled.own, settled.held, reader, terms);
  else release(settled.held, reader);
  return outcome;
}

function outcomeOf(
  settled: Exclude<Settled, { kind: "through" }>,
  { gone, evaluated: { request }, context: { protocol } }: InterceptContext,
): ExchangeOutcome {
  const { held, intervention } = settled;
  const { status } = held.observed;
  if (gone.aborted) return { status, answer: undefined, failure: gone.reason, intervention };
  if (settled.kind === "kept") return { ...held.observed, intervention };
  const own = readReply(settled.own, protocol, request.target)?.step;
  return { status: held.held.seen ? status : settled.own.status, answer: undefined, intervention, own };
}

function shownIn(
  settled: Exclude<Settled, { kind: "through" }>,
  firstId: string | undefined,
  { evaluated: { request }, context: { protocol } }: InterceptContext,
): ShownAnswer | undefined {
  const { held, observed } = settled.held;
  const isRenamed = held.stream?.state !== undefined;
  if (settled.kind === "kept") return isRenamed ? renamed(observed, firstId) : undefined;
  const { answer } = observed;
  const before = { id: answer?.id, unanswered: answer?.step.calls ?? [] };
  const own = shownReply(settled.own, before, protocol, request.target);
  return own && isRenamed ? { ...own, id: firstId } : own;
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
  terms: InterceptContext,
): OwnAnswer {
  const { request } = terms.evaluated;
  const answer = held.stream?.whole ?? held.bytes;
  const withheld = observed.answer && { step: observed.answer.step, seen: held.seen, answer };
  // Some upstreams stream unasked.
  const ask = { ...request, streams: request.streams || held.stream !== undefined };
  return ownAnswer(ask, placed, terms.context, withheld);
}

/** An answer of the guard's own, in the place of the one that is kept or where that one was stopped. */
function endWith(
  { status, reply, events }: OwnAnswer,
  { held }: HeldExchange,
  reader: AnswerSink,
  { evaluated, context: { protocol } }: InterceptContext,
): void {
  const { stream, seen } = held;
  if (stream === undefined) {
    const used = status === 200 ? new TextDecoder().decode(held.bytes) : "";
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
  /** Its answer is kept in place of the first one. */
  | { readonly kind: "answered"; readonly held: HeldExchange }
  /** There was too much of it to keep: its reader has it all, or has seen it break off. */
  | { readonly kind: "through"; readonly observed: Observed }
  /** No whole answer of the same sort came: the first one is still good. */
  | { readonly kind: "failed"; readonly held: HeldExchange };

/**
 * Asks upstream once more, with what its answer would lead to told in the request. The new answer goes on where the kept
 * one was stopped: what it says goes through, what it does is kept. @param asked what upstream was asked before
 */
async function askAgain(
  heldExchange: HeldExchange,
  intervention: PositionedIntervention,
  reader: AnswerSink,
  question: string,
  terms: InterceptContext,
): Promise<SecondAnswer> {
  const { evaluated, context } = terms;
  const { protocol } = context;
  const change = changedRequest(evaluated, context, intervention);
  // Where nothing can be told, nothing else will be said.
  if (change.body === question) return { kind: "failed", held: heldExchange };
  const { stream: first } = heldExchange.held;
  const decoder =
    first === undefined ? protocol.decoder(evaluated.request.target) : protocol.resume(first.state, first.whole);
  const second = holdback(reader, {
    stream: splitStream(decoder, mustBufferText(evaluated.request)),
    candidates: undefined,
    insteadOf: heldExchange.held,
  });
  const observed = await terms.attempt(() => terms.ask(change, second));
  const held = second.held();
  if (observed !== undefined && second.isOpen()) return { kind: "through", observed };
  if (held !== undefined && observed?.answer !== undefined) {
    const whole = first === undefined ? withUsage(heldExchange.held, held, protocol) : held;
    return { kind: "answered", held: { held: whole, observed } };
  }
  if (observed !== undefined && !terms.gone.aborted) context.log.warn({ status: observed.status }, "intercept-failed");
  const state = second.state();
  const goesOn = state !== undefined && state !== first?.state;
  return {
    kind: "failed",
    held: goesOn ? { ...heldExchange, held: behind(state, heldExchange.held, protocol) } : heldExchange,
  };
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

/** An answer of the guard's own to a request at this URL, as its reader reads it. Undefined where it is an error. */
export function readReply({ status, reply }: OwnReply, protocol: Protocol, target: string): Answer | undefined {
  if (status !== 200) return undefined;
  const reader = answerReader(protocol, reply.contentType, undefined, target);
  reader.push(new TextEncoder().encode(reply.body));
  return reader.end();
}

interface OwnReply {
  readonly status: number;
  readonly reply: Reply;
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

/**
 * The same in the place of asking upstream, to which it is as if the request had never come: what it told of calls is still to
 * be told.
 */
export function shownInstead(
  reply: OwnReply,
  { previousAnswerId: id, conversation, target }: ParsedRequest,
  protocol: Protocol,
): ShownAnswer | undefined {
  return shownReply(reply, { id, unanswered: conversation.steps.flatMap(({ calls }) => calls) }, protocol, target);
}
