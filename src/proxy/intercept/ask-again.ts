import { editsFor, type Observed } from "../../evaluation/evaluation.ts";
import { type Protocol, segmentBytes, splitStream, type StreamState } from "../../protocols/protocols.ts";
import type { PositionedIntervention } from "../../session/session.ts";
import type { AnswerSink } from "../../transport/transport.ts";
import { type InterceptContext, type HeldExchange, mustBufferText } from "./context.ts";
import { holdback, type HeldAnswer } from "./holdback.ts";

/** What became of the second question. */
export type SecondAnswer =
  /** Its answer is kept in place of the first one. */
  | { readonly kind: "answered"; readonly kept: HeldExchange }
  /** There was too much of it to keep: its reader has it all, or has seen it break off. */
  | { readonly kind: "through"; readonly observed: Observed }
  /** No whole answer of the same sort came: the first one is still good. */
  | { readonly kind: "failed"; readonly kept: HeldExchange };

/**
 * Asks upstream once more, with what its answer would lead to told in the request. The new answer goes on where the kept
 * one was stopped: what it says goes through, what it does is kept. @param asked what upstream was asked before
 */
export async function askAgain(
  kept: HeldExchange,
  made: PositionedIntervention,
  reader: AnswerSink,
  asked: string,
  terms: InterceptContext,
): Promise<SecondAnswer> {
  const { evaluated, context } = terms;
  const { protocol, policy } = context;
  const body = protocol.rewrite(evaluated.request, editsFor(evaluated.request, evaluated.merged, policy, made));
  // Where nothing can be told, nothing else will be said.
  if (body === asked) return { kind: "failed", kept };
  const { stream: first } = kept.held;
  const decoder = first === undefined ? protocol.decoder() : protocol.resume(first.shown, first.whole);
  const second = holdback(reader, {
    stream: splitStream(decoder, mustBufferText(evaluated.request)),
    candidates: undefined,
    insteadOf: kept.held,
  });
  const observed = await terms.attempt(() => terms.ask(body, second, true));
  const held = second.held();
  if (observed !== undefined && second.isOpen()) return { kind: "through", observed };
  if (held !== undefined && observed?.answer !== undefined) {
    const whole = first === undefined ? withUsage(kept.held, held, protocol) : held;
    return { kind: "answered", kept: { held: whole, observed } };
  }
  if (observed !== undefined && !terms.gone.aborted) context.log.warn({ status: observed.status }, "intercept-failed");
  const shown = second.shown();
  const goesOn = shown !== undefined && shown !== first?.shown;
  return { kind: "failed", kept: goesOn ? { ...kept, held: behind(shown, kept.held, protocol) } : kept };
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
function behind(shown: StreamState, held: HeldAnswer, protocol: Protocol): HeldAnswer {
  // What the second one used is not known: it broke off.
  const stream = splitStream(protocol.resume(shown, undefined), false);
  const bytes = segmentBytes(stream, held.bytes);
  return { ...held, bytes, seen: true, stream: { shown, whole: stream.state() } };
}
