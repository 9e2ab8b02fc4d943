import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import type { ParsedRequest, StreamPart } from "../../../src/protocols/protocol.ts";
import type { SseEvent } from "../../../src/sse/sse.ts";

export type Message = Readonly<Record<string, unknown>>;

export const user = (...content: readonly unknown[]): Message => ({ role: "user", content });
export const text = (words: string, more: Message = {}): Message => ({ type: "text", text: words, ...more });
export const thinking = (words: string): Message => ({ type: "thinking", thinking: words, signature: `sig-${words}` });
export const use = (id: string, name = "read", input: unknown = {}): Message => ({ type: "tool_use", id, name, input });
export const result = (tool_use_id: string, content: unknown, more: Message = {}): Message => ({
  type: "tool_result",
  tool_use_id,
  content,
  ...more,
});
export const mark = { cache_control: { type: "ephemeral" } };

export function body(messages: readonly unknown[], more: Message = {}): string {
  return JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 100, messages, ...more });
}

export function ask(messages: readonly unknown[], more: Message = {}): ParsedRequest {
  const found = protocol.parse(body(messages, more));
  if (found === undefined) throw new Error("not understood");
  return found;
}

export function event(told: Message & { readonly type: string }): SseEvent {
  return { event: told.type, data: JSON.stringify(told) };
}

/** The events of a streamed message with these blocks, each told in two pieces. */
export function eventsOf(
  blocks: readonly Message[],
  { id = "msg_1", usage = { input_tokens: 10, output_tokens: 1 } } = {},
) {
  const message = { id, type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
  return [
    event({ type: "message_start", message }),
    event({ type: "ping" }),
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
    event({
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { output_tokens: 7 },
    }),
    event({ type: "message_stop" }),
  ];
}

function blockEvents(block: Message, index: number): readonly SseEvent[] {
  const [begun, deltas] = begunBlock(block);
  return [
    event({ type: "content_block_start", index, content_block: begun }),
    ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
    event({ type: "content_block_stop", index }),
  ];
}

function begunBlock(block: Message): readonly [Message, readonly Message[]] {
  const half = (words: string) => [words.slice(0, 3), words.slice(3)];
  switch (block.type) {
    case "text":
      return [text(""), half(String(block.text)).map((words) => ({ type: "text_delta", text: words }))];
    case "thinking":
      return [
        { type: "thinking", thinking: "", signature: "" },
        [
          ...half(String(block.thinking)).map((words) => ({ type: "thinking_delta", thinking: words })),
          { type: "signature_delta", signature: block.signature },
        ],
      ];
    case "tool_use":
    case "server_tool_use": {
      const json = JSON.stringify(block.input);
      const pieces = json === "{}" ? [""] : ["", ...half(json)];
      return [{ ...block, input: {} }, pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }))];
    }
    default:
      return [block, []];
  }
}

export function partsOf(events: readonly SseEvent[]): readonly StreamPart[] {
  const decoder = protocol.decoder();
  return events.flatMap((one) => decoder.decode(one)?.parts ?? []);
}
