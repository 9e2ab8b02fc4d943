import type { UnloopError } from "../../errors.ts";
import type { Mode } from "../../config/config.ts";
import type { RunawayTerms } from "../../policy/policy.ts";
import { abortable, type AnswerSink, type Exchange, type Fields } from "../../transport/transport.ts";
import { type Forwarding, forward } from "./forward.ts";
import { type Observed, type Onlookers, observe } from "./observe.ts";
import { runawayWatch } from "./runaway-watch.ts";

interface UpstreamRequestTerms extends Pick<Forwarding, "transport" | "upstream" | "upstreamKey"> {
  readonly body: Uint8Array;
  readonly fold: Onlookers["fold"];
  /** Undefined: an answer may repeat itself as it likes. */
  readonly runaway: RunawayTerms | undefined;
  /** Only `enforce` cuts off what repeats itself. */
  readonly mode: Mode;
  /** Calls back if an operator ends the session meanwhile. @returns what ends the watch */
  readonly whenContained: (end: (reason: UnloopError) => void) => () => void;
  /** The client's request has been asked before, and this is another one. */
  readonly again: boolean;
}

/** One request upstream, and how its answer went by. Rejects as `forward` does. */
export async function askUpstream(
  exchange: Exchange,
  reader: AnswerSink,
  asking: UpstreamRequestTerms,
): Promise<Observed> {
  const { transport, upstream, upstreamKey, body, fold, mode } = asking;
  const stopping = abortable(exchange.gone);
  const mayCut = asking.runaway !== undefined && mode === "enforce";
  const stop = mayCut ? () => stopping.abort(new Error("The rest of the answer is not wanted.")) : undefined;
  const runaway = asking.runaway && runawayWatch(asking.runaway, stop);
  let observed: Observed = { status: 0, answer: undefined };
  const answer = observe(reader, { fold, runaway }, (how) => {
    observed = how;
  });
  const asked = asking.again ? { ...exchange, fields: withoutKey(exchange.fields) } : exchange;
  const unwatch = asking.whenContained((reason) => {
    answer.endNow(reason);
    stopping.abort(reason);
  });
  await forward(asked, { transport, upstream, upstreamKey, body, answer, readable: true, signal: stopping }).finally(
    unwatch,
  );
  return observed;
}

/** By the client's key the second question would be answered as the first was. */
function withoutKey({ "idempotency-key": _, ...fields }: Fields): Fields {
  return fields;
}
