import { sseText } from "../../sse.ts";
import { carrierOf, narrowed } from "../action-carrier.ts";
import { fillSchema } from "../fill-schema.ts";
import { jsonText, objectIn } from "../json.ts";
import type { ParsedRequest, FinalAnswer, OfferedTool, Reply, Stamp } from "../protocol.ts";

/** An assistant message of our own and why it ends. */
interface ReplyEnding {
  readonly message: Message;
  readonly finishReason: "stop" | "tool_calls" | "function_call";
}

interface Message {
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly function_call?: FunctionCall;
}

interface FunctionCall {
  readonly name: string;
  readonly arguments: string;
}

type ToolCall = { readonly id: string } & (
  | { readonly type: "function"; readonly function: FunctionCall }
  | { readonly type: "custom"; readonly custom: { readonly name: string; readonly input: string } }
);

/** Nothing was asked of a model, so nothing is counted. */
const noUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** A complete answer: a call of the done tool, JSON in the demanded shape, or plain text. */
export function finalReply(ask: ParsedRequest, final: FinalAnswer, stamp: Stamp): Reply {
  const ending = givenEnding(ask, final, stamp) ?? finalEnding(ask, final, stamp);
  const head = { id: `chatcmpl-${stamp.id}`, created: stamp.created, model: ask.model ?? "unloop" };
  return ask.streams ? streamed(head, ending, ask.wantsUsage) : whole(head, ending);
}

/** `code` tells clients apart what happened; `message` is for people. */
export function errorReply(error: { readonly code: string; readonly message: string; readonly type: string }): Reply {
  const { code, message, type } = error;
  return { contentType: "application/json", body: JSON.stringify({ error: { message, type, param: null, code } }) };
}

// --- what to say ---

function finalEnding(ask: ParsedRequest, final: FinalAnswer, stamp: Stamp): ReplyEnding {
  const tool = ask.tools.find(({ name }) => name === final.doneTool) ?? carrierTool(ask, final.doneTool);
  return (tool === undefined ? undefined : callEnding(tool, final, stamp)) ?? textEnding(ask, final);
}

/** Undefined unless a call is given, and its tool offered. */
function givenEnding({ tools }: ParsedRequest, { call }: FinalAnswer, stamp: Stamp): ReplyEnding | undefined {
  const tool = tools.find(({ name }) => name === call?.tool);
  if (call === undefined || tool === undefined) return undefined;
  if (tool.form === "custom")
    return toolEnding(null, { type: "custom", custom: { name: tool.name, input: call.args } }, stamp);
  return functionEnding(tool, { name: tool.name, arguments: call.args }, null, stamp);
}

/** A tool that carries all of the agent's actions, with the last one as the only one left. */
function carrierTool({ tools }: ParsedRequest, done: string | undefined): OfferedTool | undefined {
  for (const tool of tools) {
    const carrier = carrierOf(tool.schema, done);
    if (carrier !== undefined) return { ...tool, schema: narrowed(tool.schema, carrier) };
  }
  return undefined;
}

function textEnding(ask: ParsedRequest, final: FinalAnswer): ReplyEnding {
  return { message: { content: shapedText(ask, final) }, finishReason: "stop" };
}

function shapedText({ format }: ParsedRequest, { text, doneTool, succeeded }: FinalAnswer): string {
  switch (format.kind) {
    case "text":
      return text;
    case "react":
      return `Final Answer: ${text}`;
    case "json":
      return JSON.stringify({ message: text });
    case "schema": {
      const carrier = carrierOf(format.schema, doneTool);
      const schema = carrier === undefined ? format.schema : narrowed(format.schema, carrier);
      return jsonText(fillSchema(schema, text, succeeded ? "well" : "badly")) ?? text;
    }
  }
}

/** Undefined if no arguments satisfy the tool's schema. */
function callEnding(tool: OfferedTool, { text, succeeded }: FinalAnswer, stamp: Stamp): ReplyEnding | undefined {
  if (tool.form === "custom")
    return toolEnding(null, { type: "custom", custom: { name: tool.name, input: text } }, stamp);
  const args = jsonText(fillSchema(asObject(tool.schema), text, succeeded ? "well" : "badly"));
  if (args === undefined) return undefined;
  // Arguments that have no place for the text must not lose it.
  const content = args.includes(JSON.stringify(text).slice(1, -1)) ? null : text;
  return functionEnding(tool, { name: tool.name, arguments: args }, content, stamp);
}

function functionEnding(tool: OfferedTool, called: FunctionCall, content: string | null, stamp: Stamp): ReplyEnding {
  if (tool.form === "legacy") return { message: { content, function_call: called }, finishReason: "function_call" };
  return toolEnding(content, { type: "function", function: called }, stamp);
}

/** Arguments are an object even where the schema leaves that unsaid. */
function asObject(schema: unknown): unknown {
  return { type: "object", ...objectIn(schema) };
}

type WithoutId<Call> = Call extends unknown ? Omit<Call, "id"> : never;

function toolEnding(content: string | null, call: WithoutId<ToolCall>, stamp: Stamp): ReplyEnding {
  return { message: { content, tool_calls: [{ id: `call_${stamp.id}`, ...call }] }, finishReason: "tool_calls" };
}

// --- how it is sent ---

interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

function whole(head: Head, { message, finishReason }: ReplyEnding): Reply {
  const choice = {
    index: 0,
    message: { role: "assistant", ...message, refusal: null },
    logprobs: null,
    finish_reason: finishReason,
  };
  return {
    contentType: "application/json",
    body: JSON.stringify({ ...head, object: "chat.completion", choices: [choice], usage: noUsage }),
  };
}

function streamed(head: Head, { message, finishReason }: ReplyEnding, wantsUsage: boolean): Reply {
  const chunk = (choices: readonly unknown[], usage: unknown) =>
    JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...(wantsUsage ? { usage } : {}) });
  const choice = (delta: unknown, reason: string | null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }], null);
  const events = [
    choice({ role: "assistant", content: message.content === null ? null : "" }, null),
    ...deltasOf(message).map((delta) => choice(delta, null)),
    choice({}, finishReason),
    ...(wantsUsage ? [chunk([], noUsage)] : []),
    "[DONE]",
  ];
  return {
    contentType: "text/event-stream; charset=utf-8",
    body: events.map((data) => sseText({ event: undefined, data })).join(""),
  };
}

function deltasOf({ content, tool_calls, function_call }: Message): readonly unknown[] {
  return [
    ...(content === null ? [] : [{ content }]),
    ...(tool_calls ?? []).map((call, index) => ({ tool_calls: [{ index, ...call }] })),
    ...(function_call === undefined ? [] : [{ function_call }]),
  ];
}
