import type { RawAnswer, ScriptedAnswer, ScriptedCall } from "./scripted-answer.ts";
import type { ModelView } from "./wire.ts";
import { inPieces, jsonAnswer, streamAnswer, tokensOf } from "./writing.ts";

export function renderedMessage(answer: ScriptedAnswer, chat: ModelView, nextId: () => string): RawAnswer {
  if (answer.kind === "raw") return answer;
  if (answer.kind === "error")
    return jsonAnswer(answer.status, { type: "error", error: { type: "api_error", message: answer.message } });
  const message = messageOf(answer, chat, nextId);
  return chat.streams ? eventStream(message) : jsonAnswer(200, message);
}

type Message = ReturnType<typeof messageOf>;
type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

const written = new WeakMap<Block, string>();

function messageOf(answer: Exclude<ScriptedAnswer, { kind: "raw" | "error" }>, chat: ModelView, nextId: () => string) {
  const calls = answer.kind === "calls" ? answer.calls : [];
  const text: Block[] = answer.text ? [{ type: "text", text: answer.text }] : [];
  const content = [...text, ...calls.map((call) => callBlock(call, nextId))];
  return {
    id: `msg_${nextId()}`,
    type: "message",
    role: "assistant",
    model: chat.model,
    content,
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: tokensOf(Object(chat.raw).messages),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: tokensOf(content),
    },
  };
}

function callBlock({ tool, args, id }: ScriptedCall, nextId: () => string): Block {
  const block: Block = { type: "tool_use", id: id ?? `toolu_${nextId()}`, name: tool, input: inputIn(args) };
  written.set(block, args);
  return block;
}

function inputIn(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}

function eventStream(message: Message): RawAnswer {
  const { content, stop_reason, stop_sequence, usage } = message;
  const head = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const pieces = [
    event({ type: "message_start", message: head }),
    event({ type: "ping" }),
    ...content.flatMap(blockEvents),
    event({
      type: "message_delta",
      delta: { stop_reason, stop_sequence },
      usage: { output_tokens: usage.output_tokens },
    }),
    event({ type: "message_stop" }),
  ];
  return streamAnswer(pieces);
}

function blockEvents(block: Block, index: number): readonly string[] {
  const begun = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
  const deltas =
    block.type === "text"
      ? inPieces(block.text).map((text) => ({ type: "text_delta", text }))
      : ["", ...inPieces(written.get(block) ?? "")].map((partial_json) => ({ type: "input_json_delta", partial_json }));
  return [
    event({ type: "content_block_start", index, content_block: begun }),
    ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
    event({ type: "content_block_stop", index }),
  ];
}

function event(value: { readonly type: string } & Readonly<Record<string, unknown>>): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}
