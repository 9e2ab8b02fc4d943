import { z } from "zod";
import type { ChatBody } from "./chat-wire.ts";
import type { RawAnswer, ScriptedAnswer, ScriptedCall } from "./scripted-answer.ts";
import { inPieces, jsonAnswer, objectIn, streamAnswer, tokensOf } from "./writing.ts";

const block = z.looseObject({ type: z.string() });

const messagesBody = z.object({
  model: z.string().catch("scripted"),
  stream: z.boolean().catch(false),
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(block)]) })).catch([]),
  tools: z.array(z.object({ name: z.string() })).catch([]),
  tool_choice: z.object({ type: z.string(), name: z.string().optional() }).catch({ type: "auto" }),
});

/** A request of Anthropic's Messages API, as scripts look at requests. */
export function messagesBodyOf(json: unknown): ChatBody {
  const { model, stream, messages, tools, tool_choice } = messagesBody.parse(objectIn(json));
  const { type, name } = tool_choice;
  return {
    model,
    stream,
    stream_options: {},
    messages: messages.map(({ role, content }) => ({ role, content, tool_calls: callsIn(content) })),
    tools: tools.map((tool) => ({ function: tool })),
    tool_choice: type === "tool" && name !== undefined ? { function: { name } } : type,
  };
}

function callsIn(content: string | readonly z.infer<typeof block>[]) {
  if (typeof content === "string") return [];
  return content.flatMap(({ type, name, input }) =>
    type === "tool_use" ? [{ function: { name: String(name), arguments: JSON.stringify(input) } }] : [],
  );
}

/** Gives an answer the shape that the Messages API has: JSON or an event stream. */
export function renderedMessage(answer: ScriptedAnswer, chat: ChatBody, nextId: () => string): RawAnswer {
  if (answer.kind === "raw") return answer;
  if (answer.kind === "error")
    return jsonAnswer(answer.status, { type: "error", error: { type: "api_error", message: answer.message } });
  const message = messageOf(answer, chat, nextId);
  return chat.stream ? eventStream(message) : jsonAnswer(200, message);
}

type Message = ReturnType<typeof messageOf>;
type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

/** The input's text as the model writes it, which may be no JSON. */
const written = new WeakMap<Block, string>();

function messageOf(answer: Exclude<ScriptedAnswer, { kind: "raw" | "error" }>, chat: ChatBody, nextId: () => string) {
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
      input_tokens: tokensOf(chat.messages),
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
    // Arguments that break off are a legitimate thing to stream.
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
