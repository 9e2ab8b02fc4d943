import type { Protocol } from "../../protocols/protocols.ts";
import type { PositionedIntervention } from "../../session/session.ts";
import { joinBytes } from "../../sse.ts";
import type { AnswerSink } from "../../transport/transport.ts";
import type { InterceptContext, HeldExchange } from "./context.ts";
import { holdback, type HeldAnswer } from "./holdback.ts";
import { editsFor } from "../request/interventions.ts";
import type { Observed } from "../relay/observe.ts";

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
  const { considered, protocol, policy } = terms;
  const body = protocol.rewrite(considered.body, editsFor(considered.request, considered.followed, policy, made));
  // Where nothing can be told, nothing else will be said.
  if (body === asked) return { kind: "failed", kept };
  const { begun, seen } = kept.held;
  const { hasTextActions } = considered.request;
  const pieces = begun === undefined ? protocol.pieces(false) : protocol.continuing(begun, seen, hasTextActions);
  const second = holdback(reader, { pieces, candidates: undefined, insteadOf: kept.held });
  const observed = await terms.attempt(() => terms.ask(body, second, true));
  const held = second.held();
  if (observed !== undefined && second.isOpen()) return { kind: "through", observed };
  if (held !== undefined && observed?.answer !== undefined) {
    const whole = begun === undefined ? withUsage(kept.held, held, protocol) : held;
    return { kind: "answered", kept: { held: whole, observed } };
  }
  if (observed !== undefined && !terms.gone.aborted) terms.log.warn({ status: observed.status }, "intercept-failed");
  const goesOn = second.seen() && !seen;
  return { kind: "failed", kept: goesOn ? { ...kept, held: behind(pieces.begun(), kept.held, protocol) } : kept };
}

function withUsage(first: HeldAnswer, second: HeldAnswer, protocol: Protocol): HeldAnswer {
  const decoder = new TextDecoder();
  const text = protocol.withUsageOf(decoder.decode(first.bytes), decoder.decode(second.bytes));
  const bytes = new TextEncoder().encode(text);
  const { "content-length": length, ...fields } = second.fields;
  const counted = length === undefined ? fields : { ...fields, "content-length": String(bytes.length) };
  return { ...second, fields: counted, bytes };
}

/** The first answer, behind words of a second one that broke off. */
function behind(begun: NonNullable<HeldAnswer["begun"]>, held: HeldAnswer, protocol: Protocol): HeldAnswer {
  const pieces = protocol.continuing(begun, true, false);
  const bytes = joinBytes([...pieces.push(held.bytes), ...pieces.rest()].map((piece) => piece.bytes));
  return { ...held, bytes, seen: true, begun: pieces.begun() };
}
