import type { FinalMessage } from "../final-message.ts";
import type { StreamEvent } from "../framing.ts";
import { isObject, type JsonObject, parseJson } from "../json/json.ts";
import type { Stamp } from "../protocol.ts";
import type { ReplyFormat } from "../wire-format.ts";
import { eventOf } from "./decoder.ts";
import { ending } from "./streams.ts";

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonObject };

/** Nothing was asked of a model, so nothing is counted. */
const noUsage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };

export const replies: ReplyFormat<unknown> = {
  write(message, { model }, _, stamp) {
    const content = contentOf(message, stamp);
    const stop = stopOf(message);
    const whole = {
      id: `msg_${stamp.id}`,
      type: "message",
      role: "assistant",
      model: model ?? "unloop",
      content,
      stop_sequence: null,
      ...stop,
      usage: noUsage,
    };
    const events = [
      eventOf({ type: "message_start", message: { ...whole, content: [], stop_reason: null, stop_details: null } }),
      ...content.flatMap(blockEvents),
      ending(stop, 0),
      eventOf({ type: "message_stop" }),
    ];
    return { whole, events };
  },
  // The API tells no code; ours stands beside what it tells.
  error({ code, status, message }) {
    const type = TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
    const body = { type: "error", error: { type, message, code } };
    return { body, event: eventOf(body) };
  },
};

/** Why it ends. What declines says so here: the SDKs parse every text of a request that demands JSON, and throw at words. */
function stopOf({ text, call, isRefusal }: FinalMessage): JsonObject {
  if (isRefusal !== true) return { stop_reason: call === undefined ? "end_turn" : "tool_use" };
  return { stop_reason: "refusal", stop_details: { type: "refusal", category: null, explanation: text } };
}

function contentOf({ text, call, isRefusal }: FinalMessage, stamp: Stamp): readonly Block[] {
  if (isRefusal === true) return [];
  const words: readonly Block[] = text === null ? [] : [{ type: "text", text }];
  const input = call === undefined ? undefined : parseJson(call.args);
  if (call === undefined) return words;
  return [
    ...words,
    { type: "tool_use", id: `toolu_${stamp.id}`, name: call.tool.name, input: isObject(input) ? input : {} },
  ];
}

function blockEvents(block: Block, index: number): readonly StreamEvent[] {
  const [begun, delta] =
    block.type === "text"
      ? [
          { ...block, text: "" },
          { type: "text_delta", text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        ];
  return [
    eventOf({ type: "content_block_start", index, content_block: begun }),
    eventOf({ type: "content_block_delta", index, delta }),
    eventOf({ type: "content_block_stop", index }),
  ];
}

/** The API's own types of error, by status. */
const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};
