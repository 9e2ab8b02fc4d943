import type { UnloopError } from "../../errors.ts";
import type { Mode } from "../../config/config.ts";
import type { AnswerTap, Observed } from "../../evaluation/evaluation.ts";
import type { RunawayTerms } from "../../policy/policy.ts";
import { abortable, type AnswerSink, type Exchange } from "../../transport/transport.ts";
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
  /** An answer of such a status is dropped at its head; undefined: none is. */
  readonly isUnwanted: ((status: number) => boolean) | undefined;
}

/** One request upstream, and how its answer went by. Rejects as `forward` does. */
export async function askUpstream(
  exchange: Exchange,
  forwarding: Omit<Forwarding, "answer" | "signal">,
  client: AnswerSink,
  terms: ReadingTerms,
): Promise<Observed> {
  const { tap, mode, isUnwanted } = terms;
  const stopping = abortable(exchange.gone);
  const stop = () => stopping.abort(new Error("The rest of the answer is not wanted."));
  const reader = isUnwanted === undefined ? client : unless(isUnwanted, client, stop);
  const runaway = terms.runaway && runawayWatch(terms.runaway, mode === "enforce" ? stop : undefined);
  let observed: Observed = { status: 0, answer: undefined };
  const answer = observe(reader, { tap, runaway }, (how) => {
    observed = how;
  });
  const unwatch = terms.whenContained((reason) => {
    answer.endNow(reason);
    stopping.abort(reason);
  });
  try {
    await forward(exchange, { answer, signal: stopping, ...forwarding });
  } finally {
    unwatch();
  }
  return observed;
}

function unless(isUnwanted: (status: number) => boolean, reader: AnswerSink, drop: () => void): AnswerSink {
  let to: AnswerSink | undefined = reader;
  return {
    head(status, fields) {
      if (isUnwanted(status)) {
        to = undefined;
        drop();
      }
      to?.head(status, fields);
    },
    write: (bytes) => to?.write(bytes),
    end: () => to?.end(),
    fail: (reason) => to?.fail(reason),
  };
}
