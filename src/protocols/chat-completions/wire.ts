import type { Call, Step } from "../../step.ts";
import { cutText, joinTexts } from "../../text/text-span.ts";
import { tokensUsed } from "../answer/tokens-used.ts";
import { arrayIn, isObject, type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import { likeness } from "../likeness.ts";
import type { OfferedTool, ParsedRequest, Usage } from "../protocol.ts";
import { type Message, promptStep as stepIn } from "../dialects/dialects.ts";

/** Which part a message plays: `instruction` is system and developer, `result` is tool and legacy function. */
export type Part = "instruction" | "user" | "assistant" | "result";

const parts: ReadonlyMap<unknown, Part> = new Map([
  ["system", "instruction"],
  ["developer", "instruction"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "result"],
  ["function", "result"],
]);

/** Undefined for what is no message of a known role. */
export function partOf(message: unknown): Part | undefined {
  return isObject(message) ? parts.get(message.role) : undefined;
}

/** The structured calls of an assistant message: `tool_calls`, or else the legacy `function_call`. */
export function callsOf(message: JsonObject): readonly Call[] {
  const calls = arrayIn(message.tool_calls).filter(isObject).map(callOf);
  if (calls.length > 0 || !isObject(message.function_call)) return calls;
  return [functionIn(message.function_call)];
}

function callOf(call: JsonObject): Call {
  const id = nonEmpty(call.id);
  const called = isObject(call.custom)
    ? { tool: stringIn(call.custom.name) ?? "", args: argumentText(call.custom.input) }
    : functionIn(objectIn(call.function));
  return id === undefined ? called : { id, ...called };
}

function functionIn(called: JsonObject): { readonly tool: string; readonly args: string } {
  return { tool: stringIn(called.name) ?? "", args: argumentText(called.arguments) };
}

/** Some servers and clients send the arguments as the object itself. */
function argumentText(value: unknown): string {
  return cutText(stringIn(value) ?? (value === undefined || value === null ? "" : (jsonText(value) ?? "")));
}

/** What a message says: its content, or where it refuses, the refusal. */
export function textOf(message: JsonObject): string {
  const content = contentText(message.content);
  const refusal = nonEmpty(message.refusal);
  if (refusal === undefined) return content;
  return content === "" ? cutText(refusal) : joinTexts([content, refusal]);
}

/** Parts joined by line breaks, whatever is not text as a short mark. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return cutText(content);
  if (Array.isArray(content)) return joinTexts(content.map(contentPart));
  return content === null || content === undefined ? "" : cutText(contentPart(content));
}

function contentPart(part: unknown): string {
  if (part === null) return "";
  if (!isObject(part)) return stringIn(part) ?? jsonText(part) ?? "";
  switch (part.type) {
    case "image_url":
      return `[image${likeness(stringIn(part.image_url) ?? stringIn(objectIn(part.image_url).url))}]`;
    case "input_audio":
      return `[audio${likeness(stringIn(objectIn(part.input_audio).data))}]`;
    case "file":
      return `[file${likeness(fileMark(objectIn(part.file)))}]`;
    default:
      return stringIn(part.text) ?? stringIn(part.refusal) ?? jsonText(part) ?? "";
  }
}

function fileMark(file: JsonObject): string | undefined {
  return stringIn(file.file_id) ?? stringIn(file.file_data) ?? stringIn(file.filename);
}

/** All tools on offer: functions, custom tools and legacy functions. */
export function toolsOf(request: JsonObject): readonly OfferedTool[] {
  const tools = arrayIn(request.tools).flatMap((tool) => (isObject(tool) ? offeredTools(tool) : []));
  const functions = arrayIn(request.functions).flatMap(described);
  return [...tools, ...functions];
}

function offeredTools(tool: JsonObject): readonly OfferedTool[] {
  const name = nonEmpty(objectIn(tool.custom).name);
  return name === undefined ? described(tool.function) : [{ name, form: "custom" }];
}

function described(called: unknown): readonly OfferedTool[] {
  const name = nonEmpty(objectIn(called).name);
  if (name === undefined) return [];
  const { parameters: schema, description } = objectIn(called);
  const fields = typeof description === "string" && description !== "" ? { name, description } : { name };
  return [schema === undefined ? fields : { ...fields, schema }];
}

/** The call that the client forces, in either generation of the API. */
export function toolChoiceOf({ tool_choice, function_call }: JsonObject): ParsedRequest["toolChoice"] {
  const choice = tool_choice ?? function_call;
  if (choice === "required" || choice === "any") return "any";
  const { type, mode, name, function: called, custom, allowed_tools } = objectIn(choice);
  if (type === "allowed_tools") return (mode ?? objectIn(allowed_tools).mode) === "required" ? "any" : undefined;
  const tool = nonEmpty(name) ?? nonEmpty(objectIn(called).name) ?? nonEmpty(objectIn(custom).name);
  return tool === undefined ? undefined : { tool };
}

/** Tools that are called by `function_call`. */
export function legacyNames(request: JsonObject): ReadonlySet<string> {
  const current = arrayIn(request.tools).flatMap((tool) => (isObject(tool) ? offeredTools(tool) : []));
  const names = arrayIn(request.functions)
    .flatMap(described)
    .map(({ name }) => name);
  return new Set(names.filter((name) => current.every((tool) => tool.name !== name)));
}

/** Undefined if the value does not count any tokens. */
export function usageOf(value: unknown): Usage | undefined {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = objectIn(value);
  return tokensUsed(prompt_tokens, completion_tokens, prompt_tokens_details);
}

/** The messages of a history in neutral form; undefined for a message of an unknown role. */
export function messagesOf(messages: readonly unknown[]): readonly (Message | undefined)[] {
  return messages.map(messageOf);
}

function messageOf(message: unknown): Message | undefined {
  const part = partOf(message);
  if (part === undefined || !isObject(message)) return undefined;
  switch (part) {
    case "assistant":
      return { part, text: textOf(message), calls: callsOf(message) };
    case "result": {
      const id = nonEmpty(message.tool_call_id);
      return { part, text: contentText(message.content), id, tool: stringIn(message.name) };
    }
    default:
      return { part, text: contentText(message.content) };
  }
}

/** The step of an answer's message. */
export function stepOf(message: JsonObject): Step {
  return stepIn(textOf(message), callsOf(message));
}
