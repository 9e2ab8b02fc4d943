import { UnloopError } from "../errors.ts";
import { sseSlicer } from "../sse/sse.ts";
import { type AnswerSink, type Fields, pushStream, type Signal } from "../transport/transport.ts";
import {
  assistantMessage,
  type ChatRequest,
  type ChatToolCall,
  type CompletedTurn,
  completion,
  type InProcessGuard,
  type ModelCall,
  type ModelVerdict,
  verdictIn,
} from "./chat.ts";

export interface ChatDelta {
  readonly content?: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly type?: "function";
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

/** What a part of a framework's stream says that the guard looks at; nothing for a part that says nothing of that kind. */
export interface PartMeaning extends Partial<Pick<CompletedTurn, "inputTokens" | "outputTokens">> {
  readonly delta?: ChatDelta | undefined;
  /** Of the last part: why the answer ended. */
  readonly reason?: string;
}

/** A framework's streams: how their parts are read, and what their reader gets. */
interface StreamFramework<Part> {
  ask(edited: ChatRequest): PromiseLike<ReadableStream<Part>>;
  meaning(): (part: Part) => PartMeaning;
  writer(verdict: ModelVerdict): PartWriter<Part>;
}

export interface PartWriter<Part> {
  /** A part of the model's as its reader gets it. @param ask which of its answers it is of, from 0 */
  pass(part: Part, ask: number, delta: ChatDelta): readonly Part[];
  /** Words and calls of the guard's own. */
  say(delta: ChatDelta): readonly Part[];
  end(): readonly Part[];
}

/** Of one event. In characters. */
const MAX_EVENT = 16 * 1024 * 1024;

const bytesOf = (text: string) => new TextEncoder().encode(text);

/**
 * Runs a call whose answer is streamed: each part goes on as soon as the guard lets it.
 * @throws what the model threw before its first part; UnloopError `loop_detected` where the policy ends runs with an error
 */
export function readStream<Part>(
  guard: InProcessGuard,
  call: Omit<ModelCall, "ask">,
  framework: StreamFramework<Part>,
): Promise<ReadableStream<Part>> {
  /** Parts that the guard has and their reader has not: of each answer, by the numbers that their chunks name. */
  const answers: Map<number, Part>[] = [];
  const left = new AbortController();
  const signal = call.signal === undefined ? left.signal : AbortSignal.any([call.signal, left.signal]);
  const ask: ModelCall["ask"] = (edited, sink, stop) => askFor(edited, sink, stop, answers, framework);
  return new Promise((resolve, reject) => {
    const parts = pushStream<Part>(() => left.abort());
    const sink = answerSink(answers, parts, framework, () => resolve(parts.readable), reject);
    guard({ ...call, signal, ask }, sink).then(parts.end, sink.fail);
  });
}

/** Asks the model, and tells its parts as the chunks of a chat completion. */
async function askFor<Part>(
  edited: ChatRequest,
  sink: AnswerSink,
  stop: Signal,
  answers: Map<number, Part>[],
  framework: StreamFramework<Part>,
): Promise<void> {
  const reader = (await framework.ask(edited)).getReader();
  const meaning = framework.meaning();
  const parts = new Map<number, Part>();
  const ask = answers.push(parts) - 1;
  const cancel = () => void reader.cancel(stop.reason).catch(() => undefined);
  stop.addEventListener("abort", cancel);
  sink.head(200, { "content-type": "text/event-stream" });
  try {
    for (let part = 0; ; part += 1) {
      const { done, value } = await reader.read();
      if (stop.aborted) throw stop.reason;
      if (done) break;
      parts.set(part, value);
      const { delta, reason, ...used } = meaning(value);
      const isSilent = delta === undefined && reason === undefined;
      const choice = isSilent ? undefined : { index: 0, delta: delta ?? {}, finish_reason: reason ?? null };
      await sink.write(bytesOf(`data: ${completion(choice, used, edited.model, { ask, part })}\n\n`));
    }
    await sink.write(bytesOf("data: [DONE]\n\n"));
    sink.end();
  } catch (error) {
    sink.fail(error);
  } finally {
    stop.removeEventListener("abort", cancel);
  }
}

function answerSink<Part>(
  answers: readonly Map<number, Part>[],
  parts: ReturnType<typeof pushStream<Part>>,
  framework: StreamFramework<Part>,
  begin: () => void,
  refuse: (error: unknown) => void,
): AnswerSink {
  const events = sseSlicer(MAX_EVENT);
  let writer: PartWriter<Part> | undefined;
  let refusal = "";

  function partsOf(data = "[DONE]"): readonly Part[] {
    if (data === "[DONE]" || writer === undefined) return [];
    const { ask = -1, part = -1, choices = [] } = JSON.parse(data);
    const delta: ChatDelta = choices[0]?.delta ?? {};
    const own = answers[ask]?.get(part);
    if (own === undefined) return writer.say(delta);
    answers[ask]?.delete(part);
    return writer.pass(own, ask, delta);
  }

  function put(some: readonly Part[]): Promise<void> | undefined {
    let ready: Promise<void> | undefined;
    for (const part of some) ready = parts.write(part) ?? ready;
    return ready;
  }

  return {
    head(_, fields) {
      if (!String(fields["content-type"]).includes("event-stream")) return;
      writer = framework.writer(verdictIn(fields));
      begin();
    },
    write(bytes) {
      if (writer === undefined) refusal += new TextDecoder().decode(bytes);
      return put(events.push(bytes).flatMap(({ event }) => partsOf(event?.data)));
    },
    end() {
      if (writer === undefined) refuse(refusalIn(refusal));
      else void put(writer.end());
    },
    fail(reason) {
      refuse(reason);
      parts.fail(reason);
    },
  };
}

function refusalIn(body: string): UnloopError {
  return new UnloopError("loop_detected", String(JSON.parse(body).error?.message ?? "The run goes in circles."));
}

export type OwnCompletion = Pick<CompletedTurn, "text" | "calls">;

/** A framework's answers in one piece: how they are read, and what their reader gets in the place of one. */
interface WholeFramework<Answer> {
  ask(edited: ChatRequest): PromiseLike<Answer>;
  turn(answer: Answer): CompletedTurn;
  own(completion: OwnCompletion): Answer;
}

/**
 * Runs a call whose answer comes in one piece. @returns beside the answer all that the model has given
 * @throws UnloopError `loop_detected` where the policy ends runs with an error
 */
export async function readWhole<Answer>(
  guard: InProcessGuard,
  call: Omit<ModelCall, "ask">,
  framework: WholeFramework<Answer>,
): Promise<{ readonly verdict: ModelVerdict; readonly answer: Answer; readonly given: readonly Answer[] }> {
  const given: Answer[] = [];
  let text = "";
  let [status, fields, failure]: [number, Fields, unknown] = [0, {}, undefined];
  const ask: ModelCall["ask"] = async (edited, sink) => {
    const answer = await framework.ask(edited);
    const turn = framework.turn(answer);
    const choice = { index: 0, message: assistantMessage(turn.text, turn.calls), finish_reason: turn.reason };
    const named = { ask: given.push(answer) - 1, ...(turn.id && { id: turn.id }) };
    sink.head(200, { "content-type": "application/json" });
    await sink.write(bytesOf(completion(choice, turn, call.request.model, named)));
    sink.end();
  };
  const decoder = new TextDecoder();
  await guard(
    { ...call, ask },
    {
      head: (...head) => {
        [status, fields] = head;
      },
      write: (bytes) => {
        text += decoder.decode(bytes, { stream: true });
        return undefined;
      },
      end: () => undefined,
      fail: (reason) => {
        failure = reason;
      },
    },
  );
  if (status === 0) throw failure ?? new UnloopError("internal_error", "The guard gave no answer.");
  if (status >= 400) throw refusalIn(text);
  const { ask: number, choices } = JSON.parse(text);
  const { content, tool_calls: calls = [] as readonly ChatToolCall[] } = choices[0].message;
  const answer = given[number] ?? framework.own({ text: content ?? "", calls });
  return { verdict: verdictIn(fields), given, answer };
}
