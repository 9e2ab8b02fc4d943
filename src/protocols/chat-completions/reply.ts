import type { FinalMessage } from "../final-message.ts";
import type { StreamEvent } from "../framing.ts";
import { type JsonObject, objectIn } from "../json/json.ts";
import type { Stamp } from "../protocol.ts";
import type { ReplyFormat } from "../wire-format.ts";
import { legacyNames } from "./wire.ts";

export const replies: ReplyFormat<undefined> = {
  write(message, { model }, { body }, stamp) {
    const ending = endingOf(message, body, stamp);
    const head = { id: `chatcmpl-${stamp.id}`, created: stamp.created, model: model ?? "unloop" };
    const wantsUsage = objectIn(body.stream_options).include_usage === true;
    return { whole: whole(head, ending), events: streamed(head, ending, wantsUsage) };
  },
  // `code` tells clients apart what happened; `message` is for people.
  error({ code, status, message }) {
    const type = status < 500 ? "invalid_request_error" : "api_error";
    const body = { error: { message, type, param: null, code } };
    return { body, event: { event: undefined, data: JSON.stringify(body) } };
  },
};

/** An assistant message of our own and why it ends. */
interface ReplyEnding {
  readonly message: Message;
  readonly finishReason: "stop" | "tool_calls" | "function_call";
}

interface Message {
  readonly content: string | null;
  /** Said in the place of content that would have to be of some shape. */
  readonly refusal?: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly function_call?: FunctionCall;
}

interface FunctionCall {
  readonly name: string;
  readonly arguments: string;
}

type ToolCall = { readonly id: string } & (
  | { readonly type: "function"; readonly function: FunctionCall }
  | { readonly type: "custom"; readonly custom: { readonly name: string; readonly input: string } }
);

/** Nothing was asked of a model, so nothing is counted. */
const noUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** The message as this format writes it. */
function endingOf({ text, call, isRefusal }: FinalMessage, body: JsonObject, stamp: Stamp): ReplyEnding {
  if (isRefusal === true) return { message: { content: null, refusal: text }, finishReason: "stop" };
  if (call === undefined) return { message: { content: text }, finishReason: "stop" };
  const { tool, args } = call;
  if (tool.form === "custom")
    return toolEnding(text, { type: "custom", custom: { name: tool.name, input: args } }, stamp);
  const called = { name: tool.name, arguments: args };
  if (legacyNames(body).has(tool.name))
    return { message: { content: text, function_call: called }, finishReason: "function_call" };
  return toolEnding(text, { type: "function", function: called }, stamp);
}

type WithoutId<Call> = Call extends unknown ? Omit<Call, "id"> : never;

function toolEnding(content: string | null, call: WithoutId<ToolCall>, stamp: Stamp): ReplyEnding {
  return { message: { content, tool_calls: [{ id: `call_${stamp.id}`, ...call }] }, finishReason: "tool_calls" };
}

// --- how it is sent ---

interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

function whole(head: Head, { message, finishReason }: ReplyEnding): unknown {
  const choice = {
    index: 0,
    message: { role: "assistant", refusal: null, ...message },
    logprobs: null,
    finish_reason: finishReason,
  };
  return { ...head, object: "chat.completion", choices: [choice], usage: noUsage };
}

function streamed(head: Head, { message, finishReason }: ReplyEnding, wantsUsage: boolean): readonly StreamEvent[] {
  const chunk = (choices: readonly unknown[], usage: unknown) =>
    JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...(wantsUsage ? { usage } : {}) });
  const choice = (delta: unknown, reason: string | null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }], null);
  const events = [
    choice({ role: "assistant", content: message.content === null ? null : "" }, null),
    ...deltasOf(message).map((delta) => choice(delta, null)),
    choice({}, finishReason),
    ...(wantsUsage ? [chunk([], noUsage)] : []),
    "[DONE]",
  ];
  return events.map((data) => ({ event: undefined, data }));
}

function deltasOf({ content, refusal = null, tool_calls, function_call }: Message): readonly unknown[] {
  return [
    ...(content === null ? [] : [{ content }]),
    ...(refusal === null ? [] : [{ refusal }]),
    ...(tool_calls ?? []).map((call, index) => ({ tool_calls: [{ index, ...call }] })),
    ...(function_call === undefined ? [] : [{ function_call }]),
  ];
}
