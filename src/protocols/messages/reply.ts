import { type SseEvent, sseText } from "../../sse/sse.ts";
import { finalMessageOf, type FinalMessage } from "../final-message.ts";
import { isObject, type JsonObject, parseJson } from "../json/json.ts";
import type { Failure, FinalAnswer, ParsedRequest, Reply, Stamp } from "../protocol.ts";
import { eventOf } from "./decoder.ts";
import { ending } from "./encoder.ts";

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonObject };

/** Nothing was asked of a model, so nothing is counted. */
const noUsage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };

/** A complete message: a call of the done tool, JSON in the demanded shape, or plain text. */
export function finalReply(request: ParsedRequest, final: FinalAnswer, stamp: Stamp): Reply {
  const said = finalMessageOf(request, final);
  const content = contentOf(said, stamp);
  const stop = stopOf(said);
  const message = {
    id: `msg_${stamp.id}`,
    type: "message",
    role: "assistant",
    model: request.model ?? "unloop",
    content,
    stop_sequence: null,
    ...stop,
    usage: noUsage,
  };
  if (!request.streams) return { contentType: "application/json", body: JSON.stringify(message) };
  const events = [
    eventOf({ type: "message_start", message: { ...message, content: [], stop_reason: null, stop_details: null } }),
    ...content.flatMap(blockEvents),
    ending(stop, 0),
    eventOf({ type: "message_stop" }),
  ];
  return { contentType: "text/event-stream; charset=utf-8", body: events.map(sseText).join("") };
}

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

function blockEvents(block: Block, index: number): readonly SseEvent[] {
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

/** The API tells no code; ours stands beside what it tells. */
export function errorReply({ code, status, message }: Failure, as: "body" | "event"): Reply {
  const type = TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  const body = { type: "error", error: { type, message, code } };
  return as === "body"
    ? { contentType: "application/json", body: JSON.stringify(body) }
    : { contentType: "text/event-stream; charset=utf-8", body: sseText(eventOf(body)) };
}
