import type { UnloopError } from "../../errors.ts";
import type { Mode } from "../../config/config.ts";
import type { AnswerTap, Observed } from "../../evaluation/evaluation.ts";
import type { RunawayTerms } from "../../policy/policy.ts";
import type { AnswerSink } from "../../transport/transport.ts";
import { observe } from "./observe.ts";
import { runawayWatch } from "./runaway-watch.ts";
import type { UpstreamCall } from "./upstream-call.ts";

interface ReadingTerms {
  readonly tap: AnswerTap;
  /** Undefined: an answer may repeat itself as it likes. */
  readonly runaway: RunawayTerms | undefined;
  /** Only `enforce` cuts off what repeats itself. */
  readonly mode: Mode;
  /** Calls back if an operator ends the session meanwhile. @returns what ends the watch */
  readonly whenContained: (end: (reason: UnloopError) => void) => () => void;
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
