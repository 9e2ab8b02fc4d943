import { answerReader, chatCompletions, promptTarget } from "../../protocols/protocols.ts";
import { abortable, type AnswerSink, type Exchange, type Transport } from "../../transport/transport.ts";
import { forward } from "./forward.ts";
import type { JudgeEndpoint, Observed } from "../../evaluation/evaluation.ts";
import { observe } from "./observe.ts";

/** Longer answers are no verdicts. In bytes. */
const MAX_ANSWER = 256 * 1024;

/** One question to the judge, and how its answer went by. Rejects as `forward` does, also when its time is over. */
export async function askJudge(question: string, endpoint: JudgeEndpoint, transport: Transport): Promise<Observed> {
  const { upstream, key, timeoutMs } = endpoint;
  const body = new TextEncoder().encode(question);
  const gone = AbortSignal.timeout(timeoutMs);
  const tooLong = abortable(gone);
  let observed: Observed = { status: 0, answer: undefined };
  const exchange: Exchange = {
    method: "POST",
    target: promptTarget,
    fields: {
      "content-type": "application/json",
      accept: "application/json",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    gone,
    body: async () => body,
    stream: () => undefined,
    answer: observe(
      nobody(() => tooLong.abort(new Error("The judge says too much."))),
      { tap: (contentType) => answerReader(chatCompletions, contentType) },
      (how) => {
        observed = how;
      },
    ),
  };
  await forward(exchange, { transport, upstream, body, readable: true, signal: tooLong });
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
