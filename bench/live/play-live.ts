import { guardOf } from "../../src/index.ts";
import { type AnswerSink, abortable, type Transport, type UpstreamRequest } from "../../src/transport/transport.ts";
import type { Rung } from "../../src/policy/policy.ts";
import type { LiveFormat } from "./formats.ts";
import { isInstruction, type RecordedMessage, type RecordedRun } from "./recorded.ts";

/** What the guard did to one exchange of a run. */
export interface LiveTouch {
  /** Index, as the format counts, of the turn that it was done about: the newest one in the request, or the answer's own. */
  readonly turn: number;
  readonly rung: Rung | "cut";
  readonly detector: string;
  /** The answer was held back, and another one given in its place. */
  readonly replaced: boolean;
}

interface Touching extends Pick<LiveTouch, "detector"> {
  readonly at: number;
  readonly rung: Rung;
  readonly foreseen?: true;
}

/** One run, asked for turn by turn. */
export interface PlayedLive {
  readonly touches: readonly LiveTouch[];
  readonly exchanges: number;
  /** Exchanges that nobody watched, or whose answer broke off. */
  readonly broken: readonly string[];
}

const UPSTREAM = new URL("http://recorded.invalid");
const DONE: RecordedMessage = { role: "assistant", content: "Done." };

/**
 * Asks a new guard for each turn of a run; the upstream answers with the recorded turn, whatever it is asked, as long as that is
 * what its API allows. Behind the last turn comes one more request, if the run has told what that turn brought.
 */
export async function playLive(run: RecordedRun, format: LiveFormat, streams: boolean): Promise<PlayedLive> {
  const touches: LiveTouch[] = [];
  const broken: string[] = [];
  let turn = 0;
  let asked = 0;
  const transport = recordedTransport(({ body }) => {
    asked += 1;
    const recorded = run.messages[run.turns[turn] ?? -1] ?? DONE;
    const forced = recorded.tool_calls?.length
      ? format.forcedTurn(Buffer.from(body as Uint8Array).toString())
      : undefined;
    return format.answer(forced ?? recorded, streams, `${turn}_${asked}`);
  });
  const guard = guardOf({
    upstream: UPSTREAM,
    transport,
    observer({ verdict, intervention, failure }) {
      if (failure !== undefined) broken.push(`turn ${turn}: ${failure}`);
      else if (verdict === "cut") touches.push({ turn, rung: "cut", detector: "runaway", replaced: true });
      else if (intervention !== undefined) touches.push(touchOf(intervention));
      else if (verdict !== "ok") broken.push(`turn ${turn}: ${verdict}`);
    },
  });
  const requests = requestsOf(run);
  for (const request of requests) {
    turn = request.turn;
    await exchange(guard, format, JSON.stringify(format.body(run, request.messages, streams)));
  }
  return { touches, exchanges: requests.length, broken };
}

/** Which turn is asked for with how many messages. Some recordings begin with what the assistant said unasked. */
function requestsOf({ messages, turns }: RecordedRun): readonly { readonly turn: number; readonly messages: number }[] {
  const last = messages.at(-1)?.role === "assistant" ? [] : [messages.length];
  return [...turns, ...last]
    .map((count, turn) => ({ turn, messages: count }))
    .filter((request) => messages.slice(0, request.messages).some(({ role }) => !isInstruction(role)));
}

function touchOf({ at, rung, detector, foreseen }: Touching): LiveTouch {
  return { turn: foreseen ? at + 1 : at, rung, detector, replaced: foreseen === true };
}

function recordedTransport(answer: (request: UpstreamRequest) => ReturnType<LiveFormat["answer"]>): Transport {
  return {
    accept: () => Promise.reject(new Error("Nothing listens here.")),
    close: async () => undefined,
    async send(request, sink) {
      const { contentType, pieces } = answer(request);
      sink.head(200, { "content-type": contentType });
      for (const piece of pieces) {
        if (request.signal.aborted) return sink.fail(request.signal.reason);
        await sink.write(piece);
      }
      sink.end();
    },
  };
}

const encoder = new TextEncoder();
const nobody: AnswerSink = {
  head: () => undefined,
  write: () => undefined,
  end: () => undefined,
  fail: () => undefined,
};

async function exchange(guard: ReturnType<typeof guardOf>, { path }: LiveFormat, body: string): Promise<void> {
  await guard({
    method: "POST",
    target: path,
    fields: { "content-type": "application/json", authorization: "Bearer recorded" },
    gone: abortable(),
    body: async () => encoder.encode(body),
    stream: () => undefined,
    answer: nobody,
  });
}
