import { addUsage, sum } from "../answer/sum-usage.ts";
import { defineProtocol } from "../define-protocol.ts";
import { sse, type StreamEvent } from "../framing.ts";
import type { DeltaFormat, RequestFormat, StreamContinuation, StreamFormat, WireFormat } from "../wire-format.ts";
import { type ChunkStream, notBegun, reading } from "./decoder.ts";
import { edits } from "./rewrite.ts";
import { replies } from "./reply.ts";
import { arrayIn, isObject, type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { Answer, AnswerFormat, ArgsCompletion } from "../protocol.ts";
import { firstChoice, isFailure } from "./call-decoder.ts";
import { callsOf, messagesOf, partOf, stepOf, toolChoiceOf, toolsOf, usageOf } from "./wire.ts";
import { historyOf, promptConversation } from "../dialects/dialects.ts";
import type { ContinuedText } from "../answer/continued-text.ts";

const streams: StreamFormat<ChunkStream> = { endMark: "[DONE]", notBegun, reading, resume, finish };

/** Makes each chunk of a second stream one of the first: one id, one role, all usage in one place. */
function resume(
  first: ChunkStream | undefined,
  used: ChunkStream | undefined,
  words: ContinuedText,
): StreamContinuation<ChunkStream> {
  const usage = used?.usage;
  const convert = continuation(first, usage, words);
  return {
    from: { ...(first ?? notBegun), usage },
    encode(chunk, name) {
      const converted = convert(chunk);
      const json = converted === chunk ? undefined : jsonText(converted);
      return json === undefined ? undefined : [{ event: name, data: json }];
    },
  };
}

function continuation(
  first: ChunkStream | undefined,
  usage: JsonObject | undefined,
  words: ContinuedText,
): (chunk: JsonObject) => JsonObject {
  const goOn = (choice: unknown): unknown => {
    if (!isObject(choice) || !isObject(choice.delta)) return choice;
    const { role: _, ...delta } = choice.delta;
    const isOver = delta.tool_calls !== undefined || choice.finish_reason != null;
    const said = words.add(stringIn(delta.content) ?? "") + (isOver ? words.end() : "");
    return { ...choice, delta: said === (delta.content ?? "") ? delta : { ...delta, content: said } };
  };
  return (chunk) => {
    const counted = isObject(chunk.usage) && usage !== undefined ? { usage: sum(usage, chunk.usage) } : undefined;
    if (first === undefined) return counted === undefined ? chunk : { ...chunk, ...counted };
    return { ...chunk, ...first.head, choices: arrayIn(chunk.choices).map(goOn), ...counted };
  };
}

/** Ends a stream as it stands: begun arguments closed, a finish if there was none, the mark of its end. */
function finish(
  { head, finished, calls }: ChunkStream,
  rests: readonly ArgsCompletion[],
  acts = false,
): readonly StreamEvent[] {
  const reason = !acts ? "stop" : calls[0]?.kind === "legacy" ? "function_call" : "tool_calls";
  const chunk = (delta: JsonObject, finish_reason: string | null) =>
    JSON.stringify({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
  const closing = rests.flatMap(({ call, text }): readonly JsonObject[] => {
    const { kind, index } = calls[call] ?? {};
    if (kind === "legacy") return [{ function_call: { arguments: text } }];
    return kind === "function" ? [{ tool_calls: [{ index, function: { arguments: text } }] }] : [];
  });
  const chunks = finished ? [] : [...closing.map((delta) => chunk(delta, null)), chunk({}, reason)];
  return [...chunks, "[DONE]"].map((data) => ({ event: undefined, data }));
}

const requests: RequestFormat<undefined> = {
  recognises: isChatRequest,
  isRequest: isChatRequest,
  streams: ({ stream }) => stream === true,
  sampling: ["model", "temperature", "top_p", "seed", "user"],
  read(body) {
    const messages = messagesOf(arrayIn(body.messages));
    const tools = toolsOf(body);
    return {
      messages,
      history: historyOf(messages),
      tools,
      hasTools: tools.length > 0,
      toolChoice: toolChoiceOf(body),
      format: formatOf(body),
      alternatives: typeof body.n === "number" && body.n > 1,
      previousAnswerId: undefined,
      keptUnder: undefined,
      unread: stringIn(objectIn(arrayIn(body.messages).find((message) => partOf(message) === undefined)).role),
      own: undefined,
    };
  },
};

/** Whether a body is one of a chat-completions request with at least one message. */
function isChatRequest(body: unknown): boolean {
  return isObject(body) && arrayIn(body.messages).some((message) => partOf(message) !== undefined);
}

function formatOf(request: JsonObject): AnswerFormat {
  const format = objectIn(request.response_format);
  const schema = objectIn(format.json_schema).schema;
  if (format.type === "json_schema" && schema !== undefined) return { kind: "schema", schema };
  return format.type === "json_object" || format.type === "json_schema" ? { kind: "json" } : { kind: "text" };
}

/** How a body goes on behind the messages that an earlier one of its run has carried already. */
const delta: DeltaFormat = {
  comparable: (body) => body,
  list: "messages",
  resultKey: "tool_call_id",
  members: (body) => Object.keys(body),
  steps: (messages) => (standsAlone(messages) ? promptConversation(messagesOf(messages)).steps : undefined),
};

/** It begins with an answer, tells only of its own calls, and changes no instruction: read alone it is what it is in its place. */
function standsAlone(messages: readonly unknown[]): boolean {
  if (partOf(messages[0]) !== "assistant") return false;
  const ids = new Set<string | undefined>();
  for (const message of messages) {
    const part = partOf(message);
    if (!isObject(message) || part === "instruction") return false;
    if (part === "assistant") for (const { id } of callsOf(message)) ids.add(id);
    const answered = part === "result" ? nonEmpty(message.tool_call_id) : undefined;
    if (answered !== undefined && !ids.has(answered)) return false;
  }
  return true;
}

export const chatFormat: WireFormat<undefined, ChunkStream> = {
  name: "chat-completions",
  path: "/v1/chat/completions",
  endpoints: [/(^|\/)chat\/completions$/],
  refusalStatus: 400,
  framing: () => sse,
  requests,
  edits,
  delta,
  threads: undefined,
  answers: { read: readAnswer, addUsage },
  streams,
  replies,
  question: ({ model, system, text, answer }) => ({
    model,
    messages: [
      { role: "system", content: system },
      { role: "user", content: text },
    ],
    ...(answer && { response_format: { type: "json_schema", json_schema: { ...answer, strict: true } } }),
  }),
};

export { callsOf, stepOf } from "./wire.ts";

/** `POST /v1/chat/completions`. */
export const chatCompletions = defineProtocol(chatFormat);

/** A whole answer; undefined for an error or another shape. */
function readAnswer(completion: JsonObject): Answer | undefined {
  if (isFailure(completion)) return undefined;
  const choice = firstChoice(completion);
  if (choice === undefined || !isObject(choice.message)) return undefined;
  return {
    id: nonEmpty(completion.id),
    step: stepOf(choice.message),
    finishReason: stringIn(choice.finish_reason),
    usage: usageOf(completion.usage),
    model: nonEmpty(completion.model),
  };
}
