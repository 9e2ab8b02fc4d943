import {
  afterForceDone,
  answerOnOrder,
  type Change,
  changedRequest,
  type Evaluation,
  type ExchangeOutcome,
  type Observed,
  ownAnswer,
  type OwnAnswer,
  saveTurn,
  type ShownAnswer,
} from "../../evaluation/evaluation.ts";
import { type Policy, type Rung, rungAfter, stages } from "../../policy/policy.ts";
import {
  answerReader,
  lastForm,
  type ParsedRequest,
  type Protocol,
  segmentBytes,
  splitStream,
  type StreamState,
} from "../../protocols/protocols.ts";
import { failOpen } from "../fail-open.ts";
import { type HeldAnswer, holdback, type HoldbackTerms } from "./holdback.ts";
import { answerWith, type VerdictSink } from "../relay/send-reply.ts";
import type { Lookahead, PositionedIntervention } from "../../session/session.ts";
import type { AnswerSink, Signal } from "../../transport/transport.ts";

/** An exchange whose answer may complete a loop. */
export interface Intercepted extends Evaluation, VerdictSink {
  readonly lookahead: Lookahead;
  /** Rejects if no answer ever began. @param change undefined: as the request came */
  readonly ask: (change: Change | undefined, reader: AnswerSink) => Promise<Observed>;
  readonly gone: Signal;
}

interface Settled {
  /** What its reader does not have yet; undefined: it has all of it, or has seen it break off. */
  readonly held: HeldAnswer | undefined;
  readonly observed: Observed;
  readonly intervention?: PositionedIntervention | undefined;
  /** In the place of the one that is kept. */
  readonly own?: OwnAnswer | undefined;
}

type Kept = Settled & { readonly held: HeldAnswer };

/**
 * Asks upstream and passes the answer on, unless its step would complete a loop: then upstream is told so and asked
 * again, and what it says now goes on where the first answer was stopped. If that is no better, the rung decides:
 * after a nudge it may have its way, after a force-done the guard ends the run itself.
 */
export async function intercept(change: Change | undefined, exchange: Intercepted): Promise<ExchangeOutcome> {
  const { request, lookahead } = exchange;
  const reader = headOnce(exchange.answer);
  const candidates = candidatesOf(request.whole(), lookahead);
  const first = holdback(reader, { stream: splitterFor(exchange), candidates });
  const observed = await exchange.ask(change, first);
  const held = first.held();
  if (held === undefined) return observed;
  const kept = { held, observed };
  const asked = change?.body ?? request.text();
  const settled = observed.contained ? kept : await attempt(() => settle(kept, reader, asked, exchange), exchange);
  return deliver(settled ?? kept, reader, observed.answer?.id, exchange);
}

/** Undefined where an optional step on the answer fails. */
function attempt<T>(step: () => Promise<T>, { gone, context: { log } }: Intercepted): Promise<T | undefined> {
  return failOpen(step, (facts) => {
    if (!gone.aborted) log.warn(facts, "intercept-failed");
    return undefined;
  });
}

/**
 * What is said may not go through before it is known what follows where it may be what is done, or has to be one text of a
 * demanded form, which words before a call that was kept back would spoil.
 * @param before the stream that it goes on in
 */
function splitterFor(
  { request, context: { protocol } }: Intercepted,
  before?: HeldAnswer["stream"],
): HoldbackTerms["stream"] {
  const whole = request.whole();
  const decoder = before === undefined ? protocol.decoder(whole.target) : protocol.resume(before.state, before.whole);
  return splitStream(decoder, whole.hasTextActions || lastForm(whole).isWhole);
}

/** Where a head has gone through already, what was to follow it follows. */
function headOnce(reader: AnswerSink): AnswerSink {
  let head: AnswerSink["head"] = (...given) => {
    head = () => undefined;
    reader.head(...given);
  };
  return { ...reader, head: (...given) => head(...given) };
}

/** The tools to keep back calls of; undefined, for all, where a request names its tools otherwise than its steps do. */
function candidatesOf({ tools, toldAs }: ParsedRequest, ahead: Lookahead) {
  const offered = new Set(tools.map(({ name }) => toldAs(name)));
  const isOffered = ahead.tools !== undefined && [...ahead.tools].every((tool) => offered.has(tool));
  return isOffered ? { has: (tool: string) => ahead.tools?.has(toldAs(tool)) === true } : undefined;
}

/** Asks again once, if that is due. @param asked what upstream was asked */
async function settle(first: Kept, reader: AnswerSink, asked: string, exchange: Intercepted): Promise<Settled> {
  const { lookahead, report, request, context } = exchange;
  const { policy } = context;
  let kept = first;
  let next = leadsTo(kept, lookahead);
  if (next !== undefined && !isLast(next)) {
    report({ intervention: next });
    const { held, ...second } = await askAgain(first, next, reader, asked, exchange);
    if (held === undefined || second.intervention === undefined) return { held, ...second };
    kept = { held, ...second };
    const afterwards = afterForceDone(next, request.whole(), policy, undefined);
    next = leadsTo(kept, afterwards) ?? harder(leadsTo(kept, lookahead), next.intervention.rung, policy);
  }
  if (next === undefined || !isLast(next)) return kept;
  const { held, observed } = kept;
  const { seen, stream, bytes } = held;
  const withheld = observed.answer && { step: observed.answer.step, seen, answer: stream?.whole ?? bytes };
  const whole = request.whole();
  // Some upstreams stream unasked.
  const asStreamed = { ...whole, streams: whole.streams || stream !== undefined };
  return { ...kept, intervention: next, own: ownAnswer(asStreamed, next, context, withheld) };
}

function isLast({ intervention }: PositionedIntervention): boolean {
  return intervention.rung === "short-circuit";
}

function leadsTo({ observed }: Settled, lookahead: Lookahead | undefined): PositionedIntervention | undefined {
  return observed.answer && lookahead?.predict(observed.answer.step);
}

/** Next intervention if the model repeats itself after a note; undefined if it does something else. */
export function harder(
  repeats: PositionedIntervention | undefined,
  lastRung: Rung | undefined,
  policy: Policy,
): PositionedIntervention | undefined {
  if (repeats === undefined || lastRung === undefined) return repeats;
  const { intervention } = repeats;
  const least = rungAfter(lastRung, policy);
  const rung = stages.indexOf(intervention.rung) > stages.indexOf(least) ? intervention.rung : least;
  return { ...repeats, intervention: { ...intervention, rung } };
}

/**
 * Asks upstream once more, and tells it what its answer would lead to. What the new answer says goes through, what it does is kept.
 * @returns with the intervention where a whole answer of the same sort came; else the first one is still good
 */
async function askAgain(
  first: Kept,
  intervention: PositionedIntervention,
  reader: AnswerSink,
  asked: string,
  exchange: Intercepted,
): Promise<Settled> {
  const { request, merged, context, gone } = exchange;
  const { protocol, log } = context;
  const change = changedRequest(request, merged, context, intervention);
  // Where nothing can be told, nothing else will be said.
  if (change.body === asked) return first;
  const { stream } = first.held;
  const terms = { stream: splitterFor(exchange, stream), candidates: undefined, insteadOf: first.held };
  const second = holdback(reader, terms);
  const observed = await attempt(() => exchange.ask(change, second), exchange);
  const held = second.held();
  if (observed !== undefined && second.isOpen()) return { held: undefined, observed, intervention };
  if (held !== undefined && observed?.answer !== undefined)
    return { held: stream === undefined ? withUsage(first.held, held, protocol) : held, observed, intervention };
  if (observed !== undefined && !gone.aborted) log.warn({ status: observed.status }, "intercept-failed");
  const state = second.state();
  return state === undefined || state === stream?.state
    ? first
    : { ...first, held: behind(state, first.held, protocol) };
}

function withUsage(first: HeldAnswer, second: HeldAnswer, protocol: Protocol): HeldAnswer {
  const decoder = new TextDecoder();
  const text = protocol.addUsage(decoder.decode(first.bytes), decoder.decode(second.bytes));
  const bytes = new TextEncoder().encode(text);
  const length = second.fields["content-length"] && String(bytes.length);
  return { ...second, fields: { ...second.fields, "content-length": length }, bytes };
}

/** The first answer, behind words of a second one that broke off: what that used is not known. */
function behind(state: StreamState, held: HeldAnswer, protocol: Protocol): HeldAnswer {
  const stream = splitStream(protocol.resume(state, undefined), false);
  return { ...held, bytes: segmentBytes(stream, held.bytes), seen: true, stream: { state, whole: stream.state() } };
}

/** @param firstId of the first answer: what goes on in its stream has its name */
async function deliver(
  settled: Settled,
  reader: AnswerSink,
  firstId: string | undefined,
  exchange: Intercepted,
): Promise<ExchangeOutcome> {
  const { held, observed, intervention, own } = settled;
  if (held === undefined) return { ...observed, intervention, shown: renamed(observed, firstId) };
  const ordered = answerOnOrder(exchange);
  if (ordered !== undefined) {
    // What was kept back of a session that an operator has ended reaches nobody.
    exchange.report({ contained: true });
    endWith(ordered, held, reader, exchange);
    return { ...observed, answer: undefined, contained: true };
  }
  exchange.report({ intervention });
  const outcome = outcomeOf({ ...settled, held }, firstId, exchange);
  // No history tells of it, and the client's next request may come faster than a store that is told behind the last byte.
  if (intervention !== undefined) await saveTurn(exchange, outcome);
  if (own !== undefined) endWith(own, held, reader, exchange);
  else {
    if (!held.seen) reader.head(held.status, held.fields);
    void reader.write(held.bytes);
    reader.end();
  }
  return outcome;
}

function outcomeOf(
  { held, observed, intervention, own }: Kept,
  firstId: string | undefined,
  { gone, request, context: { protocol } }: Intercepted,
): ExchangeOutcome {
  const { status, answer } = observed;
  const isRenamed = held.stream?.state !== undefined;
  const lost = gone.aborted ? { status, answer: undefined, failure: gone.reason } : undefined;
  if (own === undefined)
    return { ...(lost ?? observed), intervention, shown: isRenamed ? renamed(observed, firstId) : undefined };
  const before = { id: answer?.id, unanswered: answer?.step.calls ?? [] };
  const { shown: made, ...read } = ownOutcome(own, before, protocol, request.whole().target);
  const shown = made && isRenamed ? { ...made, id: firstId } : made;
  if (lost !== undefined) return { ...lost, intervention, shown };
  return { ...read, status: held.seen ? status : own.status, answer: undefined, intervention, shown };
}

function renamed({ answer }: Observed, firstId: string | undefined): ShownAnswer | undefined {
  if (answer === undefined || answer.id === firstId) return undefined;
  return { id: firstId, step: answer.step, isOwn: false, upstream: { id: answer.id, unanswered: [] } };
}

/** An answer of the guard's own, as its reader reads it. @param upstream what goes before it there */
export function ownOutcome(
  { status, reply }: Pick<OwnAnswer, "reply"> & { readonly status: number },
  upstream: ShownAnswer["upstream"],
  protocol: Protocol,
  target: string,
): Pick<ExchangeOutcome, "own" | "shown"> {
  if (status !== 200) return {};
  const reader = answerReader(protocol, reply.contentType, undefined, target);
  reader.push(new TextEncoder().encode(reply.body));
  const { id, step } = reader.end() ?? {};
  return { own: step, shown: step && protocol.refersToAnswers ? { id, step, isOwn: true, upstream } : undefined };
}

/** An answer of the guard's own, in the place of the one that is kept or where that one was stopped. */
function endWith(
  { status, reply, events }: OwnAnswer,
  { stream, seen, bytes }: HeldAnswer,
  reader: AnswerSink,
  { request, context: { protocol } }: Intercepted,
): void {
  if (stream === undefined) {
    const used = status === 200 ? new TextDecoder().decode(bytes) : "";
    answerWith(reader, status, { ...reply, body: protocol.addUsage(used, reply.body) });
  } else if (status !== 200 && !seen) answerWith(reader, status, reply);
  else {
    if (!seen) reader.head(status, { "content-type": reply.contentType, ...reader.ownFields?.() });
    const decoder =
      status === 200 ? protocol.resume(stream.state, stream.whole) : protocol.decoder(request.whole().target);
    void reader.write(segmentBytes(splitStream(decoder, false), new TextEncoder().encode(events)));
    reader.end();
  }
}
