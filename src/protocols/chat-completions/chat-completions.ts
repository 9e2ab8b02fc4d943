import { type AnswersFormat, alternativesOf, answersOf, type ContinuedText, openAiError } from "../answers.ts";
import type { FinalCall } from "../final-message.ts";
import { type Json, arrayIn, isObject, type JsonObject, objectIn, stringIn } from "../json/json.ts";
import type { Protocol } from "../protocol.ts";
import { requestsOf } from "../requests.ts";
import { type ChunkStream, notBegun, reading } from "./answer.ts";
import { isLegacy, isChatRequest, requests } from "./request.ts";

export { reading as chunkReading } from "./answer.ts";
export { isChatRequest, requests as chat } from "./request.ts";

const END = "[DONE]";
const noUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const OBJECT = { object: "chat.completion.chunk" };

function chunkOf(head: JsonObject, delta: JsonObject, reason: string | null, count?: Json) {
  const choices = alternativesOf(count, { delta, logprobs: null, finish_reason: reason });
  return { ...head, ...OBJECT, choices };
}

const writer: AnswersFormat<ChunkStream>["writer"] = ({ model = "unloop", wire }, stamp, like) => {
  const { body } = wire;
  const head = { model, ...like, id: `chatcmpl-${stamp.id}`, created: stamp.created };
  const wantsUsage = objectIn(body.stream_options).include_usage === true;
  let message: JsonObject = { role: "assistant", refusal: null, content: null };
  let finish_reason = "stop";

  const chunkHead = { ...head, ...(wantsUsage && { usage: null }) };
  const choice = (delta: JsonObject, reason: string | null = null) => chunkOf(chunkHead, delta, reason, body.n);
  const said = (delta: JsonObject): readonly JsonObject[] => {
    message = { ...message, ...delta };
    return [choice(delta)];
  };
  return {
    begin: (speaks) => [choice({ role: "assistant", content: speaks ? "" : null })],
    text: (text, isRefusal) => said(isRefusal ? { refusal: text } : { content: text }),
    call(call) {
      const called = callOf(body, call, stamp);
      message = { ...message, ...called };
      finish_reason = "tool_calls" in called ? "tool_calls" : "function_call";
      const deltas = arrayIn(called.tool_calls).map((one, index) => ({ index, ...objectIn(one) }));
      return [choice(deltas.length === 0 ? called : { tool_calls: deltas })];
    },
    end: () => [
      choice({}, finish_reason),
      ...(wantsUsage ? [{ ...head, ...OBJECT, choices: [], usage: noUsage }] : []),
      END,
    ],
    whole: () => ({
      ...head,
      object: "chat.completion",
      choices: alternativesOf(body.n, { message, logprobs: null, finish_reason }),
      usage: noUsage,
    }),
  };
};

function callOf(body: JsonObject, { tool: { name, form }, args }: FinalCall, stamp: { id: string }): JsonObject {
  const id = `call_${stamp.id}`;
  if (form === "custom") return { tool_calls: [{ id, type: "custom", custom: { name, input: args } }] };
  const called = { name, arguments: args };
  return isLegacy(body, name)
    ? { function_call: called }
    : { tool_calls: [{ id, type: "function", function: called }] };
}

const finish: AnswersFormat<ChunkStream>["finish"] = ({ head, calls }, { finished, rests, acts }) => {
  const reason = !acts ? "stop" : calls[0]?.kind === "legacy" ? "function_call" : "tool_calls";
  const closing = rests.flatMap(({ call, text }): readonly JsonObject[] => {
    const { kind, index } = calls[call] ?? {};
    if (kind === "legacy") return [{ function_call: { arguments: text } }];
    return kind === "function" ? [{ tool_calls: [{ index, function: { arguments: text } }] }] : [];
  });
  return finished ? [END] : [...closing.map((delta) => chunkOf(head, delta, null)), chunkOf(head, {}, reason), END];
};

const resume: AnswersFormat<ChunkStream>["resume"] = ({ first, words, counted }) => {
  const goOn = (choice: Json): Json => {
    if (!isObject(choice) || !isObject(choice.delta)) return choice;
    const { role: _, ...delta } = choice.delta;
    return { ...choice, delta: newIn(delta, words, delta.tool_calls !== undefined || choice.finish_reason != null) };
  };
  return (chunk) => {
    const told = counted(chunk);
    if (first !== undefined) return [{ ...told, ...first.head, choices: arrayIn(chunk.choices).map(goOn) }];
    return told === chunk ? undefined : [told];
  };
};

export function newIn(message: JsonObject, words: ContinuedText, isOver: boolean): JsonObject {
  const content = stringIn(message.content) ?? "";
  const said = words.add(content) + (isOver ? words.end() : "");
  return said === content ? message : { ...message, content: said };
}

const answers: AnswersFormat<ChunkStream> = {
  endMark: END,
  notBegun,
  reading,
  resume,
  finish,
  usage: ["usage"],
  tokens: {
    input: ["prompt_tokens"],
    output: ["completion_tokens"],
    cached: ["prompt_tokens_details", "cached_tokens"],
  },
  places: [
    ["choices", "*", "delta", "content"],
    ["choices", "*", "message", "content"],
  ],
  writer,
  error: (failure) => ({ body: openAiError(failure) }),
};

export const chatCompletions: Protocol = {
  name: "chat-completions",
  path: "/v1/chat/completions",
  refusalStatus: 400,
  recognises: isChatRequest,
  ...requestsOf([/(^|\/)chat\/completions$/], requests),
  ...answersOf(answers),
  question: ({ model, system, text, answer }, target) => ({
    target,
    body: JSON.stringify({
      model,
      messages: [
        { role: "system", content: system },
        { role: "user", content: text },
      ],
      ...(answer && { response_format: { type: "json_schema", json_schema: { ...answer, strict: true } } }),
    }),
  }),
};
