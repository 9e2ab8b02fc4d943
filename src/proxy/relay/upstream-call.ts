import { abortable, type Abortable, type AnswerSink, type Exchange } from "../../transport/transport.ts";
import type { SpeculativeOutcome } from "../../evaluation/evaluation.ts";
import { type Forwarding, forward } from "./forward.ts";

/** One request upstream that can be ended before its answer is complete. */
export interface UpstreamCall {
  /** Ends it, once aborted; the client's leaving does so too. */
  readonly stopping: Abortable;
  /** Where its answer goes. To be called once. Resolves and rejects as `forward` does. */
  follow(answer: AnswerSink): Promise<void>;
}

/** Speculative: made before it is known whether the request is to go upstream as it came. */
export interface SpeculativeCall extends UpstreamCall {
  /** Withdraws the call. No effect once its answer is being relayed. */
  withdraw(): void;
  outcome(): SpeculativeOutcome;
}

type CallTerms = Omit<Forwarding, "answer" | "signal">;

/** A call that is made when its answer is asked for. */
export function upstreamCall(exchange: Exchange, terms: CallTerms): UpstreamCall {
  const stopping = abortable(exchange.gone);
  return { stopping, follow: (answer) => forward(exchange, { answer, signal: stopping, ...terms }) };
}

/** Calls at once; what comes of the answer waits for the one that follows it. */
export function speculativeCall(exchange: Exchange, terms: CallTerms): SpeculativeCall {
  const stopping = abortable(exchange.gone);
  const held = heldAnswer();
  const going = forward(exchange, { answer: held.sink, signal: stopping, ...terms });
  // Whoever follows hears of a failure. Until somebody does, it would count as unhandled.
  going.then(undefined, () => undefined);
  let isFollowed = false;
  return {
    stopping,
    follow(answer) {
      isFollowed = true;
      held.passTo(answer);
      return going;
    },
    withdraw() {
      if (!isFollowed) stopping.abort(new Error("The request is not sent as it came."));
    },
    outcome: () => (isFollowed ? "kept" : "withdrawn"),
  };
}

/** Keeps what comes of an answer until there is somebody to have it; upstream is asked to wait at its first bytes. */
function heldAnswer() {
  let reader: AnswerSink | undefined;
  let early: ((reader: AnswerSink) => void)[] = [];
  let goOn: (() => void) | undefined;
  const later = (event: (reader: AnswerSink) => void) => void early.push(event);
  const sink: AnswerSink = {
    head: (status, fields) =>
      reader === undefined ? later((to) => to.head(status, fields)) : reader.head(status, fields),
    write(bytes) {
      if (reader !== undefined) return reader.write(bytes);
      later((to) => void to.write(bytes));
      return new Promise<void>((resolve) => {
        goOn = resolve;
      });
    },
    end: () => (reader === undefined ? later((to) => to.end()) : reader.end()),
    fail: (reason) => (reader === undefined ? later((to) => to.fail(reason)) : reader.fail(reason)),
  };
  return {
    sink,
    passTo(answer: AnswerSink) {
      reader = answer;
      for (const event of early) event(answer);
      early = [];
      goOn?.();
    },
  };
}
