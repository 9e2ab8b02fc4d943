import type { LanguageModelV3StreamPart, LanguageModelV3StreamResult } from "@ai-sdk/provider";
import { UnloopError } from "../errors.ts";
import { eventBytes, type InProcessGuard, type ModelVerdict, verdictIn } from "../in-process/in-process.ts";
import { sseReader } from "../sse.ts";
import type { AnswerSink, Signal } from "../transport/transport.ts";
import type { GuardedCall } from "./call.ts";
import { type AskedStream, chunkEncoder } from "./encode.ts";
import { partWriter } from "./parts.ts";

/** Of one event. In characters. */
const MAX_EVENT = 16 * 1024 * 1024;

/** One call whose answer is streamed: each part goes on as soon as the guard lets it. */
export function stream(guard: InProcessGuard, call: GuardedCall): Promise<LanguageModelV3StreamResult> {
  const asks: AskedStream[] = [];
  const left = new AbortController();
  const asked = call.asked(true);
  const signal = asked.signal === undefined ? left.signal : AbortSignal.any([asked.signal, left.signal]);
  return new Promise((resolve, reject) => {
    const parts = partStream(left);
    const begin = () => resolve({ ...asks[0]?.result, stream: parts.readable });
    const sink = answerSink(asks, parts, begin, reject);
    guard({ ...asked, signal, ask: (edited, to, stop) => ask(call, asks, edited, to, stop) }, sink).then(
      () => parts.close(),
      (error) => {
        reject(error);
        parts.fail(error);
      },
    );
  });
}

/** Asks the model, and tells its parts as the chunks of a chat completion. */
async function ask(
  call: GuardedCall,
  asks: AskedStream[],
  edited: Parameters<GuardedCall["edited"]>[0],
  sink: AnswerSink,
  stop: Signal,
): Promise<void> {
  const { stream: given, ...result } = await call.model.doStream(call.edited(edited));
  const asked: AskedStream = { result, parts: new Map(), usage: undefined };
  const encode = chunkEncoder(call.model.modelId, asks.push(asked) - 1, asked);
  const reader = given.getReader();
  const cancel = () => void reader.cancel(stop.reason).catch(() => undefined);
  stop.addEventListener("abort", cancel);
  sink.head(200, { "content-type": "text/event-stream" });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (stop.aborted) throw stop.reason;
      if (done) break;
      await sink.write(encode(value));
    }
    await sink.write(eventBytes("[DONE]"));
    sink.end();
  } catch (error) {
    sink.fail(error);
  } finally {
    stop.removeEventListener("abort", cancel);
  }
}

interface PartStream {
  readonly readable: ReadableStream<LanguageModelV3StreamPart>;
  /** A promise means: wait for it before the next part. */
  put(parts: readonly LanguageModelV3StreamPart[]): Promise<void> | undefined;
  close(): void;
  fail(reason: unknown): void;
}

function partStream(left: AbortController): PartStream {
  let wake = () => {};
  let over = false;
  let to: ReadableStreamDefaultController<LanguageModelV3StreamPart> | undefined;
  const readable = new ReadableStream<LanguageModelV3StreamPart>({
    start(controller) {
      to = controller;
    },
    pull: () => wake(),
    cancel() {
      over = true;
      left.abort();
      wake();
    },
  });
  const once = (act: () => void) => {
    if (!over) act();
    over = true;
  };
  return {
    readable,
    put(parts) {
      if (over) return undefined;
      for (const part of parts) to?.enqueue(part);
      if ((to?.desiredSize ?? 1) > 0) return undefined;
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    close: () => once(() => to?.close()),
    fail: (reason) => once(() => to?.error(reason)),
  };
}

/** What comes out of the guard, as parts again. */
function answerSink(
  asks: readonly AskedStream[],
  parts: PartStream,
  begin: () => void,
  refuse: (error: unknown) => void,
): AnswerSink {
  const events = sseReader(MAX_EVENT);
  let writer: ReturnType<typeof partWriter> | undefined;
  let refusal = "";
  const started = (verdict: ModelVerdict) => {
    writer = partWriter(asks, verdict);
    begin();
  };
  return {
    head(_, fields) {
      if (String(fields["content-type"]).includes("event-stream")) started(verdictIn(fields));
    },
    write(bytes) {
      if (writer === undefined) refusal += new TextDecoder().decode(bytes);
      return parts.put((events.push(bytes) ?? []).flatMap(({ data }) => writer?.take(data) ?? []));
    },
    end() {
      if (writer === undefined) refuse(new UnloopError("loop_detected", refusalIn(refusal)));
      else void parts.put(writer.end());
    },
    fail(reason) {
      refuse(reason);
      parts.fail(reason);
    },
  };
}

function refusalIn(body: string): string {
  return String(JSON.parse(body).error?.message ?? "The run goes in circles.");
}
