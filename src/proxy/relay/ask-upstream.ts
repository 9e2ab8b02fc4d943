import type { Mode } from "../../config/config.ts";
import type { UnloopError } from "../../errors.ts";
import type { AnswerTap, Observed } from "../../evaluation/evaluation.ts";
import type { JudgeEndpoint } from "../../judge/judge.ts";
import type { RunawayTerms } from "../../policy/policy.ts";
import { answerReader, chatCompletions, type Protocol } from "../../protocols/protocols.ts";
import { type Destination, forward, type Forwarding } from "./forward.ts";
import { type AnswerTaps, observe, runawayWatch } from "./observe.ts";
import { abortable, type AnswerSink, type Exchange, type Fields, type Transport } from "../../transport/transport.ts";

interface ReadingTerms extends Pick<AnswerTaps, "tap" | "errorEvent" | "isUnwanted"> {
  /** Undefined: an answer may repeat itself as it likes. */
  readonly runaway?: RunawayTerms | undefined;
  /** Only `enforce` cuts off what repeats itself. */
  readonly mode?: Mode;
  /** Calls back if an operator ends the session meanwhile. @returns what ends the watch */
  readonly whenContained?: ((end: (reason: UnloopError) => void) => () => void) | undefined;
}

/** One request upstream, and how its answer went by. Rejects as `forward` does. */
export async function askUpstream(
  exchange: Exchange,
  forwarding: Omit<Forwarding, "answer" | "signal">,
  reader: AnswerSink,
  { mode, runaway, whenContained, ...taps }: ReadingTerms,
): Promise<Observed> {
  const stopping = abortable(exchange.gone);
  const stop = () => stopping.abort(new Error("The rest of the answer is not wanted."));
  const watch = runaway && runawayWatch(runaway, mode === "enforce");
  let observed: Observed = { status: 0, answer: undefined };
  const answer = observe(reader, { ...taps, runaway: watch, stop }, (how) => {
    observed = how;
  });
  const unwatch = whenContained?.((reason) => {
    answer.endNow(reason);
    stopping.abort(reason);
  });
  try {
    await forward(exchange, { answer, signal: stopping, ...forwarding });
  } finally {
    unwatch?.();
  }
  return observed;
}

/** Longer answers are no verdicts. In bytes. */
const MAX_ANSWER = 256 * 1024;

/** One question to the judge, and how its answer went by. Rejects as `forward` does, also when its time is over. */
export async function askJudge(question: string, endpoint: JudgeEndpoint, transport: Transport): Promise<Observed> {
  const { upstream, key, timeoutMs } = endpoint;
  const fields = { ...JSON_FIELDS, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  const asked = { target: chatCompletions.path, body: question, protocol: chatCompletions };
  return send(asked, fields, timeoutMs, { transport, upstream });
}

/** The same to the upstream of a run: with the key, and all else, that its own requests have. @param fields of such a request */
export function askOwnUpstream(
  question: Question,
  { "idempotency-key": _, "content-length": __, "content-encoding": ___, ...fields }: Fields,
  timeoutMs: number,
  destination: Destination,
): Promise<Observed> {
  return send(question, { ...fields, ...JSON_FIELDS }, timeoutMs, destination);
}

const JSON_FIELDS = { "content-type": "application/json", accept: "application/json" };

interface Question {
  readonly target: string;
  readonly body: string;
  readonly protocol: Protocol;
}

function send(
  { target, body: question, protocol }: Question,
  fields: Fields,
  timeoutMs: number,
  destination: Destination,
): Promise<Observed> {
  const body = new TextEncoder().encode(question);
  const gone = abortable(AbortSignal.timeout(timeoutMs));
  const nothing = () => undefined;
  let size = 0;
  const reader: AnswerSink = {
    ...{ head: nothing, end: nothing, fail: nothing },
    write(bytes) {
      size += bytes.byteLength;
      if (size > MAX_ANSWER) gone.abort(new Error("The judge says too much."));
      return undefined;
    },
  };
  const exchange = { method: "POST", target, fields, gone, answer: reader, body: async () => body, stream: nothing };
  const tap: AnswerTap = (contentType) => answerReader(protocol, contentType, undefined, target);
  return askUpstream(exchange, { ...destination, body, readable: true }, reader, { tap });
}
