import { z } from "zod";
import type { RawAnswer } from "./scripted-answer.ts";
import type { Asking, Heard, ModelView, Said, SaidCall, SaidTool, Wire } from "./wire.ts";
import {
  errorOf,
  failure,
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

export const chatCompletionsWire: Wire = {
  name: "chat-completions",
  path: "/v1/chat/completions",
  fields: { authorization: "Bearer sk-test" },
  refersToAnswers: false,
  keepAlive: ": still there\n\n",
  namesCalls: true,
  streamsArguments: true,
  refusalStatus: 400,
  body: ({ model = "gpt-4o", system, said, tools = [], stream = false, demands, schema }: Asking) => ({
    model,
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
    ...(demands === "any" && { tool_choice: "required" }),
    ...(typeof demands === "object" && { tool_choice: { type: "function", function: { name: demands.tool } } }),
    ...(stream && { stream, stream_options: { include_usage: true } }),
    ...(schema && { response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } } }),
    messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...said.flatMap(messagesOf)],
  }),
  view,
  rendered: renderedBy((message) => ({ error: { message, type: "scripted" } }), written),
  heard: (text, contentType) => (contentType.includes("event-stream") ? streamed(text) : whole(JSON.parse(text))),
};

function toolOf({ name, description, properties }: SaidTool): object {
  const parameters = { type: "object", properties, required: Object.keys(properties) };
  return { type: "function", function: { name, ...(description && { description }), parameters } };
}

function messagesOf(said: Said): readonly unknown[] {
  switch (said.who) {
    case "user":
      return [{ role: "user", content: said.text }];
    case "tool":
      return [{ role: "tool", tool_call_id: said.id, content: said.text }];
    case "heard":
      return said.entries;
    case "assistant":
      return [{ role: "assistant", content: said.text ?? null, ...toolCalls(said.calls ?? []) }];
  }
}

function toolCalls(calls: readonly SaidCall[]): object {
  const one = ({ id, tool, args }: SaidCall) => ({ id, type: "function", function: { name: tool, arguments: args } });
  return calls.length === 0 ? {} : { tool_calls: calls.map(one) };
}

function view(raw: unknown): ModelView {
  const { model, stream, messages, tools, tool_choice: choice } = Object(raw);
  const said = objectsIn(messages);
  return {
    raw,
    model: String(model ?? "scripted"),
    streams: stream === true,
    turns: said.filter(({ role }) => role === "assistant").length,
    texts: said.map(({ content }) => textOf(content)),
    called: said.flatMap(({ tool_calls }) => objectsIn(tool_calls).map((call) => String(call.function?.arguments))),
    offered: objectsIn(tools).map((tool) => String(tool.function?.name)),
    forced: forcedBy(choice?.function ?? choice),
  };
}

// --- A scripted model ---

function written({ text, calls }: Turn, { raw, model, streams }: ModelView, nextId: () => string): RawAnswer {
  const { messages, stream_options } = Object(raw);
  const prompt_tokens = tokensOf(messages);
  const completion_tokens = tokensOf(text + calls.map(({ tool, args }) => tool + args).join(""));
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const content = calls.length > 0 && text === "" ? null : text;
  const head = { id: `chatcmpl-${nextId()}`, created: 1_700_000_000, model, system_fingerprint: "fp_scripted" };
  if (!streams) {
    const message = { role: "assistant", content, refusal: null, ...toolCalls(calls) };
    const choices = [{ index: 0, message, logprobs: null, finish_reason }];
    return jsonAnswer(200, { ...head, object: "chat.completion", choices, usage });
  }
  const event = (more: object) => `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...more })}\n\n`;
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  return streamAnswer([
    ": keep-alive\n\n",
    chunk({ role: "assistant", content: calls.length > 0 ? null : "" }),
    ...inPieces(text).map((content) => chunk({ content })),
    ...calls.flatMap(callDeltas).map((delta) => chunk({ tool_calls: [delta] })),
    chunk({}, finish_reason),
    ...(stream_options?.include_usage ? [event({ choices: [], usage })] : []),
    "data: [DONE]\n\n",
  ]);
}

/** As the API does it: the head of a call first with no arguments, then the arguments in pieces. */
function callDeltas({ id, tool, args }: SaidCall, index: number): object[] {
  const head = { index, id, type: "function", function: { name: tool, arguments: "" } };
  return [head, ...inPieces(args).map((piece) => ({ index, function: { arguments: piece } }))];
}

// --- A strict client ---

const usage = z
  .object({ prompt_tokens: z.number(), completion_tokens: z.number(), total_tokens: z.number() })
  .transform(({ prompt_tokens: input, completion_tokens: output }) => ({ input, output }));
const wholeCall = z.object({
  id: z.string().min(1),
  type: z.literal("function"),
  function: z.object({ name: z.string().min(1), arguments: z.string() }),
});
const completion = z.object({
  id: z.string().min(1),
  object: z.literal("chat.completion"),
  created: z.number(),
  model: z.string(),
  choices: z.tuple([
    z.object({
      index: z.literal(0),
      finish_reason: z.string(),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        tool_calls: z.array(wholeCall).min(1).optional(),
      }),
    }),
  ]),
  usage,
});

function whole(json: unknown): Heard {
  const failed = failure.safeParse(json);
  if (failed.success) return { ...nothing, error: errorOf(failed.data.error) };
  const { id, choices, usage } = completion.parse(json);
  const [{ message, finish_reason }] = choices;
  return {
    id,
    text: message.content ?? "",
    calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({ id, tool: name, args })),
    finish: finish_reason,
    usage,
    entries: [message],
  };
}

const chunk = z.object({
  id: z.string().min(1),
  object: z.literal("chat.completion.chunk"),
  created: z.number(),
  model: z.string(),
  choices: z
    .array(
      z.object({
        index: z.literal(0),
        finish_reason: z.string().nullable(),
        delta: z.object({
          role: z.literal("assistant").optional(),
          content: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                index: z.number(),
                id: z.string().optional(),
                function: z.object({ name: z.string().optional(), arguments: z.string().optional() }),
              }),
            )
            .optional(),
        }),
      }),
    )
    .max(1),
  usage: usage.nullish(),
});

type Chunk = z.infer<typeof chunk>;

function streamed(text: string): Heard {
  const data = text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
  const failed = data.map((one) => failure.safeParse(parsed(one))).find(({ success }) => success);
  const chunks = data.flatMap((one) =>
    one === "[DONE]" || failure.safeParse(parsed(one)).success ? [] : [chunk.parse(parsed(one))],
  );
  const heard = put(chunks);
  if (failed?.data !== undefined) return { ...heard, error: errorOf(failed.data.error) };
  strictly(data.indexOf("[DONE]") === data.length - 1, "one [DONE], at the end");
  strictly(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []).length === 1, "one finish");
  return heard;
}

function put(chunks: readonly Chunk[]): Heard {
  const choices = chunks.flatMap(({ choices }) => choices);
  strictly(new Set(chunks.map(({ id }) => id)).size <= 1, "one id");
  strictly(choices.filter(({ delta }) => delta.role !== undefined).length <= 1, "one role");
  const content = choices.map(({ delta }) => delta.content ?? "").join("");
  const calls: { id: string; tool: string; args: string }[] = [];
  for (const { index, id, function: called } of choices.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    strictly((calls[index] === undefined) === (id !== undefined), "an id where a call begins, and only there");
    calls[index] ??= { id: id ?? "", tool: called.name ?? "", args: "" };
    calls[index].args += called.arguments ?? "";
  }
  return {
    id: chunks[0]?.id,
    text: content,
    calls,
    finish: choices.flatMap(({ finish_reason }) => finish_reason ?? [])[0],
    usage: chunks.flatMap(({ usage }) => usage ?? []).at(-1),
    entries: [{ role: "assistant", content: content === "" ? null : content, ...toolCalls(calls) }],
  };
}

function parsed(data: string): unknown {
  return data === "[DONE]" ? undefined : JSON.parse(data);
}
