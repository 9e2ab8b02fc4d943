import { answerReader, chatCompletions, type Protocol } from "../../protocols/protocols.ts";
import { abortable, type AnswerSink, type Exchange, type Fields, type Transport } from "../../transport/transport.ts";
import { type Destination, forward } from "./forward.ts";
import type { Observed } from "../../evaluation/evaluation.ts";
import type { JudgeEndpoint } from "../../judge/judge.ts";
import { observe } from "./observe.ts";

/** Longer answers are no verdicts. In bytes. */
const MAX_ANSWER = 256 * 1024;

/** One question to the judge, and how its answer went by. Rejects as `forward` does, also when its time is over. */
export async function askJudge(question: string, endpoint: JudgeEndpoint, transport: Transport): Promise<Observed> {
  const { upstream, key, timeoutMs } = endpoint;
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const fields = { ...JSON_FIELDS, ...authorization };
  const asked = { target: chatCompletions.path, fields, timeoutMs, protocol: chatCompletions };
  return send(question, asked, { transport, upstream });
}

/** A run's own request, and where it goes. */
export interface OwnUpstream {
  readonly exchange: Pick<Exchange, "fields">;
  readonly destination: Destination;
  readonly protocol: Protocol;
  readonly timeoutMs: number;
}

/** The same to the upstream of a run: with the key, and all else, that its own requests have. */
export function askOwnUpstream(
  { target, body }: ReturnType<Protocol["question"]>,
  { exchange: { fields }, destination, ...asked }: OwnUpstream,
): Promise<Observed> {
  return send(body, { ...asked, target, fields: { ...withoutItsOwn(fields), ...JSON_FIELDS } }, destination);
}

const JSON_FIELDS = { "content-type": "application/json", accept: "application/json" };

/** What a client says of one request, and not of all. */
function withoutItsOwn(fields: Fields): Fields {
  const { "idempotency-key": _, "content-length": __, "content-encoding": ___, ...rest } = fields;
  return rest;
}

interface Asked extends Pick<Exchange, "target" | "fields">, Pick<OwnUpstream, "protocol" | "timeoutMs"> {}

async function send(
  question: string,
  { target, fields, protocol, timeoutMs }: Asked,
  destination: Destination,
): Promise<Observed> {
  const body = new TextEncoder().encode(question);
  const gone = AbortSignal.timeout(timeoutMs);
  const tooLong = abortable(gone);
  let observed: Observed = { status: 0, answer: undefined };
  const exchange: Exchange = {
    method: "POST",
    target,
    fields,
    gone,
    body: async () => body,
    stream: () => undefined,
    answer: observe(
      nobody(() => tooLong.abort(new Error("The judge says too much."))),
      { tap: (contentType) => answerReader(protocol, contentType, undefined, target) },
      (how) => {
        observed = how;
      },
    ),
  };
  await forward(exchange, { ...destination, body, readable: true, signal: tooLong });
  return observed;
}

/** A reader that only measures. */
function nobody(outgrown: () => void): AnswerSink {
  let size = 0;
  return {
    head: () => undefined,
    write(bytes) {
      size += bytes.byteLength;
      if (size > MAX_ANSWER) outgrown();
      return undefined;
    },
    end: () => undefined,
    fail: () => undefined,
  };
}
