import { changedRequest, type Observed } from "../../evaluation/evaluation.ts";
import { type Protocol, segmentBytes, splitStream, type StreamState } from "../../protocols/protocols.ts";
import type { PositionedIntervention } from "../../session/session.ts";
import type { AnswerSink } from "../../transport/transport.ts";
import { type InterceptContext, type HeldExchange, mustBufferText } from "./context.ts";
import { holdback, type HeldAnswer } from "./holdback.ts";

/** Result of asking the model again. */
export type SecondAnswer =
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
export async function askAgain(
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
