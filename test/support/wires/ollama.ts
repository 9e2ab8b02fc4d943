import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { RawAnswer } from "./scripted-answer.ts";
import type { Asking, Heard, ModelView, Said, SaidCall, SaidTool, Wire } from "./wire.ts";
import { inPieces, jsonAnswer, nothing, objectsIn, renderedBy, streamAnswer, type Turn } from "./writing.ts";

/** `POST /api/chat`, Ollama's: calls have no ids, and streams are JSON lines. */
export const ollamaWire: Wire = wireOf(false);

export const ollamaWireWithIds: Wire = wireOf(true);

function wireOf(namesCalls: boolean): Wire {
  return {
    name: "ollama",
    path: "/api/chat",
    fields: {},
    refersToAnswers: false,
    refusalStatus: 400,
    namesCalls,
    streamsArguments: false,
    keepAlive: undefined,
    body: ({ model = "qwen3", system, said, tools = [], stream = false, schema }: Asking) => ({
      model,
      options: { num_ctx: 8192 },
      ...(!stream && { stream }),
      ...(tools.length > 0 && { tools: tools.map(toolOf) }),
      ...(schema && { format: schema }),
      messages: [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        ...messagesOf(said, namesCalls),
      ],
    }),
    view,
    rendered: renderedBy(
      (error) => ({ error }),
      (turn, view) => written(namesCalls, turn, view),
    ),
    heard: (text, contentType) => (contentType.includes("ndjson") ? streamed(text) : whole(JSON.parse(text))),
  };
}

function toolOf({ name, description = name, properties }: SaidTool): object {
  const parameters = { type: "object", properties, required: Object.keys(properties) };
  return { type: "function", function: { name, description, parameters } };
}

function messagesOf(said: readonly Said[], namesCalls: boolean): readonly unknown[] {
  const calls = said.flatMap((one) => (one.who === "assistant" ? (one.calls ?? []) : []));
  const messages = (one: Said) => messageOf(one, calls, namesCalls);
  if (namesCalls) return said.flatMap(messages);
  const placeOf = (one: Said) => (one.who === "tool" ? calls.findIndex(({ id }) => id === one.id) : -1);
  // What came back is told in the order of the calls: nothing else says whose it is.
  const inOrder = said
    .map((one, at) => ({ one, at, turn: said.slice(0, at + 1).filter(({ who }) => who !== "tool").length }))
    .toSorted((a, b) => a.turn - b.turn || placeOf(a.one) - placeOf(b.one) || a.at - b.at);
  return inOrder.flatMap(({ one }) => messages(one));
}

function messageOf(said: Said, calls: readonly SaidCall[], namesCalls: boolean): readonly unknown[] {
  switch (said.who) {
    case "user":
      return [{ role: "user", content: said.text }];
    case "tool": {
      const { id } = said;
      const tool = calls.find((call) => call.id === id)?.tool ?? id.split("#")[0];
      return [{ role: "tool", ...(namesCalls ? { tool_call_id: id } : { tool_name: tool }), content: said.text }];
    }
    case "heard":
      return said.entries;
    case "assistant": {
      const tool_calls = (said.calls ?? []).map((call) => callWritten(call, namesCalls ? call.id : undefined));
      return [{ role: "assistant", content: said.text ?? "", ...(tool_calls.length > 0 && { tool_calls }) }];
    }
  }
}

function callWritten({ tool, args }: Omit<SaidCall, "id">, id: string | undefined): object {
  return { ...(id && { id }), function: { name: tool, arguments: JSON.parse(args) } };
}

function view(raw: unknown): ModelView {
  const { model, stream, messages, tools } = Object(raw);
  const said = objectsIn(messages);
  const offered = objectsIn(tools).map((tool) => String(tool.function?.name));
  return {
    raw,
    model: String(model ?? "scripted"),
    streams: stream !== false,
    turns: said.filter(({ role }) => role === "assistant").length,
    texts: said.map(({ content }) => String(content ?? "")),
    called: said.flatMap(({ tool_calls }) =>
      objectsIn(tool_calls).map((call) => JSON.stringify(call.function?.arguments)),
    ),
    offered,
    // No tool can be chosen: what may not be called is not there.
    forced: tools?.length === 0 ? "none" : offered.join() === "done" ? { tool: "done" } : undefined,
  };
}

// --- A scripted model ---

function written(namesCalls: boolean, { text, calls }: Turn, { raw, model, streams }: ModelView): RawAnswer {
  let time = Date.parse("2026-01-01T00:00:00.000Z");
  const line = (message: object, rest: object) => {
    time += 1;
    return { model, created_at: new Date(time).toISOString(), message: { role: "assistant", ...message }, ...rest };
  };
  const end = {
    done: true,
    done_reason: "stop",
    total_duration: 5_000_000,
    prompt_eval_count: Math.ceil(JSON.stringify(raw).length / 4),
    eval_count: Math.ceil((text + calls.map(({ args }) => args).join("")).length / 4),
  };
  const tool_calls = calls.map((call) => callWritten(call, namesCalls ? call.id : undefined));
  if (!streams) return jsonAnswer(200, line({ content: text, ...(tool_calls.length > 0 && { tool_calls }) }, end));
  const lines = [
    ...inPieces(text).map((content) => line({ content }, { done: false })),
    ...tool_calls.map((call) => line({ content: "", tool_calls: [call] }, { done: false })),
    line({ content: "" }, end),
  ];
  return streamAnswer(
    lines.map((one) => `${JSON.stringify(one)}\n`),
    "application/x-ndjson",
  );
}

// --- A strict client ---

const failure = z.object({ error: z.string(), type: z.string().optional(), code: z.string().optional() });
const message = z.object({
  role: z.literal("assistant"),
  content: z.string(),
  tool_calls: z
    .array(
      z.object({
        id: z.string().optional(),
        function: z.object({ name: z.string().min(1), arguments: z.record(z.string(), z.unknown()) }),
      }),
    )
    .min(1)
    .optional(),
});
const part = z.object({ model: z.string(), created_at: z.iso.datetime(), message, done: z.boolean() });
const last = part.extend({
  done: z.literal(true),
  done_reason: z.string(),
  prompt_eval_count: z.number().optional(),
  eval_count: z.number().optional(),
});

function failed({ error, type, code }: z.infer<typeof failure>): NonNullable<Heard["error"]> {
  return { message: error, ...(type && { type }), ...(code && { code }) };
}

function whole(value: unknown): Heard {
  const error = failure.safeParse(value);
  return error.success ? { ...nothing, error: failed(error.data) } : put([], last.parse(value));
}

function streamed(text: string): Heard {
  const values = text.split("\n").flatMap((line): unknown[] => (line === "" ? [] : [JSON.parse(line)]));
  const end = values.pop();
  const parts = values.map((value) => part.extend({ done: z.literal(false) }).parse(value));
  const error = failure.safeParse(end);
  return error.success ? { ...put(parts), error: failed(error.data) } : put(parts, last.parse(end));
}

function put(parts: readonly z.infer<typeof part>[], end?: z.infer<typeof last>): Heard {
  const messages = [...parts, ...(end === undefined ? [] : [end])].map((one) => one.message);
  const content = messages.map((one) => one.content).join("");
  const tool_calls = messages.flatMap((one) => one.tool_calls ?? []);
  const { prompt_eval_count: input, eval_count: output } = end ?? {};
  return {
    id: undefined,
    text: content,
    calls: tool_calls.map(({ id, function: { name, arguments: args } }) => ({
      // Where there is none, only this client knows it.
      id: id ?? `${name}#${randomUUID()}`,
      tool: name,
      args: JSON.stringify(args),
    })),
    finish: end?.done_reason,
    usage: input === undefined || output === undefined ? undefined : { input, output },
    entries: [{ role: "assistant", content, ...(tool_calls.length > 0 && { tool_calls }) }],
  };
}
