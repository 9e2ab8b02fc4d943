import { z } from "zod";
import { messagesBodyOf, renderedMessage } from "./messages-wire.ts";
import type { Asking, Heard, ModelView, Said, SaidTool, Wire } from "./wire.ts";
import { forcedBy, nothing, strictly } from "./writing.ts";

/** `POST /v1/messages`. */
export const messagesWire: Wire = {
  name: "messages",
  path: "/v1/messages",
  fields: { "x-api-key": "sk-ant-test", "anthropic-version": "2023-06-01" },
  refersToAnswers: true,
  keepAlive: ": still there\n\n",
  namesCalls: true,
  streamsArguments: true,
  refusalStatus: 402,
  body: ({
    model = "claude-sonnet-4-5",
    system,
    said,
    tools = [],
    stream = false,
    previousAnswerId,
    demands,
    schema,
  }: Asking) => ({
    model,
    max_tokens: 1000,
    ...(stream && { stream }),
    ...(system !== undefined && previousAnswerId === undefined && { system }),
    ...(tools.length > 0 && previousAnswerId === undefined && { tools: tools.map(toolOf) }),
    ...(demands !== undefined && {
      tool_choice: demands === "any" ? { type: "any" } : { type: "tool", name: demands.tool },
    }),
    ...(previousAnswerId !== undefined && {
      thread: { type: "continue", previous_message_id: previousAnswerId },
    }),
    ...(schema !== undefined && { output_config: { format: { type: "json_schema", schema } } }),
    messages: messagesOf(said),
  }),
  view,
  rendered: (answer, { raw }, nextId) => renderedMessage(answer, messagesBodyOf(raw), nextId),
  heard: (text, contentType) => (contentType.includes("event-stream") ? streamed(text) : whole(JSON.parse(text))),
};

function toolOf({ name, description, properties }: SaidTool): object {
  const input_schema = { type: "object", properties, required: Object.keys(properties) };
  return { name, ...(description && { description }), input_schema };
}

/** Results of one turn, and what the user says behind them, are one message. */
function messagesOf(said: readonly Said[]): readonly unknown[] {
  const messages: { role: string; content: unknown[] }[] = [];
  for (const one of said) {
    if (one.who === "heard") messages.push(...(one.entries as typeof messages));
    else if (one.who === "assistant") messages.push({ role: "assistant", content: contentOf(one) });
    else {
      const block =
        one.who === "user"
          ? { type: "text", text: one.text }
          : { type: "tool_result", tool_use_id: one.id, content: one.text };
      const last = messages.at(-1);
      if (last?.role === "user") last.content.push(block);
      else messages.push({ role: "user", content: [block] });
    }
  }
  return messages;
}

function contentOf({ text, calls = [] }: Extract<Said, { who: "assistant" }>): unknown[] {
  return [
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, tool, args }) => ({ type: "tool_use", id, name: tool, input: JSON.parse(args) })),
  ];
}

function view(raw: unknown): ModelView {
  const { model, stream, messages, tools, tool_choice } = messagesBodyOf(raw);
  const system = z.object({ system: z.unknown() }).catch({ system: undefined }).parse(raw).system;
  return {
    raw,
    model,
    streams: stream,
    turns: messages.filter(({ role }) => role === "assistant").length,
    texts: [system, ...messages.map(({ content }) => content)].flatMap((content) =>
      content === undefined ? [] : [typeof content === "string" ? content : JSON.stringify(content)],
    ),
    called: messages.flatMap((message) => message.tool_calls.map((call) => call.function.arguments)),
    offered: tools.map((tool) => tool.function.name),
    forced: forcedBy(typeof tool_choice === "object" ? tool_choice.function : tool_choice),
  };
}

// --- A strict client ---

const usage = z.object({ input_tokens: z.number(), output_tokens: z.number() });
const failure = z.object({
  type: z.literal("error"),
  error: z.object({ type: z.string(), message: z.string(), code: z.string().optional() }),
});
const block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string().min(1),
    name: z.string().min(1),
    input: z.record(z.string(), z.unknown()),
  }),
]);
const message = z.object({
  id: z.string().min(1),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(block),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  usage,
});

type Message = z.infer<typeof message>;
type Block = z.infer<typeof block>;

function whole(json: unknown): Heard {
  const failed = failure.safeParse(json);
  return failed.success ? { ...nothing, error: errorOf(failed.data) } : heardOf(message.parse(json));
}

function errorOf({ error: { type, message, code } }: z.infer<typeof failure>): NonNullable<Heard["error"]> {
  return { type, message, ...(code !== undefined && { code }) };
}

function heardOf({ id, role, content, stop_reason, usage: used }: Message): Heard {
  return {
    id,
    text: content.flatMap((one) => (one.type === "text" ? [one.text] : [])).join("\n\n"),
    calls: content.flatMap((one) =>
      one.type === "tool_use" ? [{ id: one.id, tool: one.name, args: JSON.stringify(one.input) }] : [],
    ),
    finish: stop_reason ?? undefined,
    usage: { input: used.input_tokens, output: used.output_tokens },
    entries: [{ role, content }],
  };
}

const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message_start"), message }),
  z.object({ type: z.literal("content_block_start"), index: z.number(), content_block: block }),
  z.object({
    type: z.literal("content_block_delta"),
    index: z.number(),
    delta: z.discriminatedUnion("type", [
      z.object({ type: z.literal("text_delta"), text: z.string() }),
      z.object({ type: z.literal("thinking_delta"), thinking: z.string() }),
      z.object({ type: z.literal("signature_delta"), signature: z.string() }),
      z.object({ type: z.literal("input_json_delta"), partial_json: z.string() }),
    ]),
  }),
  z.object({ type: z.literal("content_block_stop"), index: z.number() }),
  z.object({
    type: z.literal("message_delta"),
    delta: z.object({ stop_reason: z.string(), stop_sequence: z.string().nullable() }),
    usage: usage.partial({ input_tokens: true }),
  }),
  z.object({ type: z.literal("message_stop") }),
  z.object({ type: z.literal("ping") }),
  failure,
]);

type MessageEvent = z.infer<typeof event>;

function streamed(text: string): Heard {
  const events = text
    .split("\n\n")
    .filter((one) => one !== "" && !one.startsWith(":"))
    .map(eventIn);
  let built: Message | undefined;
  let open: { readonly index: number; json: string } | undefined;
  let stopped = false;
  for (const one of events) {
    strictly(!stopped, "nothing behind message_stop");
    if (one.type === "ping") continue;
    if (one.type === "error") return { ...(built === undefined ? nothing : heardOf(built)), error: errorOf(one) };
    if (one.type === "message_start") {
      strictly(built === undefined && one.message.content.length === 0, "one message_start, with no content");
      built = one.message;
      continue;
    }
    strictly(built !== undefined, "message_start at the beginning");
    if (built === undefined) break;
    if (one.type === "message_stop") {
      strictly(built.stop_reason !== null && open === undefined, "message_stop behind message_delta");
      stopped = true;
    } else if (one.type === "message_delta") {
      strictly(open === undefined && built.stop_reason === null, "one message_delta, behind the last block");
      const { input_tokens = built.usage.input_tokens, output_tokens } = one.usage;
      built = { ...built, ...one.delta, usage: { input_tokens, output_tokens } };
    } else open = grown(built.content, open, one);
  }
  strictly(stopped && built !== undefined, "a message_stop");
  return built === undefined ? nothing : heardOf(built);
}

type BlockEvent = Extract<MessageEvent, { readonly index: number }>;

/** As the official client does it: blocks are pushed, and found by their index. */
function grown(content: Block[], open: { index: number; json: string } | undefined, one: BlockEvent) {
  if (one.type === "content_block_start") {
    strictly(open === undefined && one.index === content.length, "one block after the other, counted from 0");
    content.push(one.content_block);
    return { index: one.index, json: "" };
  }
  strictly(open?.index === one.index, "events of the block that is open");
  const at = content[one.index];
  if (open === undefined || at === undefined) return undefined;
  if (one.type === "content_block_stop") {
    if (at.type === "tool_use") at.input = open.json === "" ? {} : JSON.parse(open.json);
    return undefined;
  }
  const { delta } = one;
  if (delta.type === "text_delta" && at.type === "text") at.text += delta.text;
  else if (delta.type === "thinking_delta" && at.type === "thinking") at.thinking += delta.thinking;
  else if (delta.type === "signature_delta" && at.type === "thinking") at.signature = delta.signature;
  else if (delta.type === "input_json_delta" && at.type === "tool_use") open.json += delta.partial_json;
  else strictly(false, "a delta of its block's kind");
  return open;
}

function eventIn(text: string): MessageEvent {
  const name = /^event: (.*)$/m.exec(text)?.[1];
  const told = event.parse(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? ""));
  strictly(name === told.type, "the event's name is its type");
  return told;
}
