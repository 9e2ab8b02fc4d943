import type { UnloopError } from "../../errors.ts";
import type { Mode } from "../../config/config.ts";
import type { AnswerTap, Observed } from "../../evaluation/evaluation.ts";
import type { RunawayTerms } from "../../policy/policy.ts";
import { abortable, type Abortable, type AnswerSink, type Exchange } from "../../transport/transport.ts";
import { type Forwarding, forward } from "./forward.ts";
import { observe } from "./observe.ts";
import { runawayWatch } from "./runaway-watch.ts";

interface ReadingTerms {
  readonly tap: AnswerTap;
  /** Undefined: an answer may repeat itself as it likes. */
  readonly runaway: RunawayTerms | undefined;
  /** Only `enforce` cuts off what repeats itself. */
  readonly mode: Mode;
  /** Calls back if an operator ends the session meanwhile. @returns what ends the watch */
  readonly whenContained: (end: (reason: UnloopError) => void) => () => void;
}

/** One request upstream that can be ended before its answer is complete. */
export interface UpstreamCall {
  /** Ends it, once aborted; the client's leaving does so too. */
  readonly stopping: Abortable;
  /** Where its answer goes. To be called once. Resolves and rejects as `forward` does. */
  follow(answer: AnswerSink): Promise<void>;
}

/** A call that is made when its answer is asked for. */
export function upstreamCall(exchange: Exchange, terms: Omit<Forwarding, "answer" | "signal">): UpstreamCall {
  const stopping = abortable(exchange.gone);
  return { stopping, follow: (answer) => forward(exchange, { answer, signal: stopping, ...terms }) };
}

/** One request upstream, and how its answer went by. Rejects as `forward` does. */
export async function askUpstream(call: UpstreamCall, reader: AnswerSink, terms: ReadingTerms): Promise<Observed> {
  const { tap, mode } = terms;
  const { stopping } = call;
  const mayCut = terms.runaway !== undefined && mode === "enforce";
  const stop = mayCut ? () => stopping.abort(new Error("The rest of the answer is not wanted.")) : undefined;
  const runaway = terms.runaway && runawayWatch(terms.runaway, stop);
  let observed: Observed = { status: 0, answer: undefined };
  const answer = observe(reader, { tap, runaway }, (how) => {
    observed = how;
  });
  const unwatch = terms.whenContained((reason) => {
    answer.endNow(reason);
    stopping.abort(reason);
  });
  try {
    await call.follow(answer);
  } finally {
    unwatch();
  }
  return observed;
}
