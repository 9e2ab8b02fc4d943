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

export function eventsOf(
  blocks: readonly Message[],
  { id = "msg_1", usage = { input_tokens: 10, output_tokens: 1 } } = {},
) {
  const message = { id, type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
  const delta = { stop_reason: "tool_use", stop_sequence: null };
  return [
    event({ type: "message_start", message }),
    ...blocks.flatMap(({ type, text, thinking, input, ...block }, index) => {
      const told = type === "tool_use" ? { partial_json: JSON.stringify(input) } : { text, thinking };
      const kind = type === "tool_use" ? "input_json" : type;
      return [
        event({ type: "content_block_start", index, content_block: { ...block, type, ...EMPTY[String(type)] } }),
        event({ type: "content_block_delta", index, delta: { type: `${kind}_delta`, ...told } }),
        event({ type: "content_block_stop", index }),
      ];
    }),
    event({ type: "message_delta", delta, usage: { output_tokens: 7 } }),
    event({ type: "message_stop" }),
  ];
}

const EMPTY: Readonly<Record<string, object>> = {
  text: { text: "" },
  thinking: { thinking: "" },
  tool_use: { input: {} },
};

export function partsOf(events: readonly SseEvent[]): readonly StreamPart[] {
  const decoder = protocol.decoder();
  return events.flatMap((one) => decoder.decode(one)?.parts ?? []);
}
