import { z } from "zod";
import type { RawAnswer } from "./scripted-answer.ts";
import type { Asking, Heard, ModelView, Said, SaidTool, Wire } from "./wire.ts";
import {
  forcedBy,
  inPieces,
  jsonAnswer,
  nothing,
  objectsIn,
  renderedBy,
  streamAnswer,
  strictly,
  textOf,
  tokensOf,
  type Turn,
} from "./writing.ts";

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
  rendered: renderedBy((message) => ({ type: "error", error: { type: "api_error", message } }), written, {
    callId: "toolu",
  }),
  heard: (text, contentType) => (contentType.includes("event-stream") ? streamed(text) : whole(JSON.parse(text))),
};

/** The same where the URL says which model is asked, and how it answers. */
export function vertexWire(stream: boolean): Wire {
  const model = `claude-sonnet-4-5@20250929:${stream ? "streamRawPredict" : "rawPredict"}`;
  return {
    ...messagesWire,
    path: `/v1/projects/p-1/locations/us-east5/publishers/anthropic/models/${model}`,
    fields: { authorization: "Bearer ya29.test" },
    body(asking: Asking) {
      const { model: _, ...body } = { model: "", ...messagesWire.body(asking) };
      return { anthropic_version: "vertex-2023-10-16", ...body };
    },
  };
}

function toolOf({ name, description, properties }: SaidTool): object {
  const input_schema = { type: "object", properties, required: Object.keys(properties) };
  return { name, ...(description && { description }), input_schema };
}

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
  const { model, stream, system, messages, tools, tool_choice: choice } = Object(raw);
  const said = objectsIn(messages);
  const blocks = said.flatMap(({ content }) => objectsIn(content));
  return {
    raw,
    model: String(model ?? "scripted"),
    streams: stream === true,
    turns: said.filter(({ role }) => role === "assistant").length,
    texts: [...(system === undefined ? [] : [system]), ...said.map(({ content }) => content)].map(textOf),
    called: blocks.flatMap(({ type, input }) => (type === "tool_use" ? [JSON.stringify(input)] : [])),
    offered: objectsIn(tools).map(({ name }) => String(name)),
    forced: forcedBy(choice?.type === "tool" ? choice : choice?.type),
  };
}

// --- A scripted model ---

function written({ text, calls }: Turn, { raw, model, streams }: ModelView, nextId: () => string): RawAnswer {
  const blocks = [
    ...(text === ""
      ? []
      : [{ block: { type: "text", text }, begun: { type: "text", text: "" }, deltas: textDeltas(text) }]),
    ...calls.map(({ id, tool: name, args }) => {
      const begun = { type: "tool_use", id, name, input: {} };
      return { block: { ...begun, input: inputIn(args) }, begun, deltas: inputDeltas(args) };
    }),
  ];
  const content = blocks.map(({ block }) => block);
  const output_tokens = tokensOf(content);
  const cache = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const usage = { input_tokens: tokensOf(Object(raw).messages), ...cache, output_tokens };
  const end = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
  const message = { id: `msg_${nextId()}`, type: "message", role: "assistant", model, content, ...end, usage };
  if (!streams) return jsonAnswer(200, message);
  const head = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const events = [
    { type: "message_start", message: head },
    { type: "ping" },
    ...blocks.flatMap(({ begun, deltas }, index) => [
      { type: "content_block_start", index, content_block: begun },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: end, usage: { output_tokens } },
    { type: "message_stop" },
  ];
  return streamAnswer(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
}

const textDeltas = (text: string): object[] => inPieces(text).map((text) => ({ type: "text_delta", text }));
const inputDeltas = (args: string): object[] =>
  ["", ...inPieces(args)].map((partial_json) => ({ type: "input_json_delta", partial_json }));

function inputIn(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
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

type Json = Record<string, unknown>;
type Event = Readonly<Json> & { readonly type: string };

/** The order of a message's events, a letter each: its head, blocks one after the other with their deltas, how it ends, its end. */
const LETTERS: Readonly<Record<string, string>> = {
  message_start: "M",
  content_block_start: "(",
  content_block_delta: ".",
  content_block_stop: ")",
  message_delta: "D",
  message_stop: "E",
};
const WHOLE = /^M(\(\.*\))*DE$/;
const BEGUN = /^(M(\(\.*\))*(\(\.*|DE?)?)?$/;

function streamed(text: string): Heard {
  const blocks = text.split("\n\n").filter((one) => one !== "" && !one.startsWith(":"));
  const events = blocks.map(eventIn).filter(({ type }) => type !== "ping");
  const failed = events.findIndex(({ type }) => type === "error");
  const told = failed === -1 ? events : events.slice(0, failed);
  const order = told.map(({ type }) => LETTERS[type] ?? type).join("");
  strictly((failed === -1 ? WHOLE : BEGUN).test(order), `events in their order, not ${order}`);
  const heard = told.length === 0 ? nothing : heardOf(message.parse(put(told)));
  return failed === -1 ? heard : { ...heard, error: errorOf(failure.parse(events[failed])) };
}

function put(events: readonly Event[]): Json {
  let built: Json = {};
  const content: Json[] = [];
  let json = "";
  for (const { type, ...one } of events) {
    if (type === "message_start") built = Object(one.message);
    if (type === "message_delta") {
      const usage = { ...Object(built.usage), ...Object(one.usage) };
      built = { ...built, ...Object(one.delta), usage };
    }
    if (type === "content_block_start") {
      content.push({ ...Object(one.content_block) });
      json = "";
    }
    const at = content.at(-1) ?? {};
    if (type === "content_block_delta") json += added(at, Object(one.delta));
    if (type === "content_block_stop" && at.type === "tool_use") at.input = json === "" ? {} : JSON.parse(json);
    strictly(!type.startsWith("content") || one.index === content.length - 1, "blocks are counted from 0");
  }
  strictly(Array.isArray(built.content) && built.content.length === 0, "a head without content");
  return { ...built, content };
}

function added(block: Json, { type, ...piece }: Json): string {
  const [[name, words] = ["", ""], ...others] = Object.entries(piece);
  const isInput = type === "input_json_delta" && name === "partial_json" && block.type === "tool_use";
  const isKind = isInput || (type === `${name}_delta` && name in block);
  strictly(isKind && others.length === 0 && typeof words === "string", "a delta of its block's kind");
  if (!isInput) block[name] = name === "signature" ? words : `${block[name]}${words}`;
  return isInput ? String(words) : "";
}

function eventIn(text: string): Event {
  const told: Event = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? "");
  strictly(/^event: (.*)$/m.exec(text)?.[1] === told.type, "the event's name is its type");
  return told;
}
