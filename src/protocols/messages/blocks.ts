import type { Call, Outcome } from "../../step.ts";
import { cutText, joinTexts } from "../../text/text-span.ts";
import { arrayIn, isObject, type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import { likeness } from "../likeness.ts";

/** Who speaks: an instruction may stand among the messages, too. */
type SpeakerRole = "system" | "user" | "assistant";

const roles: ReadonlySet<unknown> = new Set<SpeakerRole>(["system", "user", "assistant"]);

/** Undefined for what is no message of a known role. */
export function roleOf(message: unknown): SpeakerRole | undefined {
  return isObject(message) && roles.has(message.role) ? (message.role as SpeakerRole) : undefined;
}

/** The blocks of a message's content; a string is one text block. */
export function blocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return arrayIn(content).filter(isObject);
}

/** A call: `tool_use`, and the API's own `server_tool_use` and `mcp_tool_use`. Undefined for every other block. */
export function callIn({ type, id, name, input }: JsonObject): Call | undefined {
  if (type !== "tool_use" && type !== "server_tool_use" && type !== "mcp_tool_use") return undefined;
  const call = { tool: stringIn(name) ?? "", args: argumentText(input) };
  return nonEmpty(id) === undefined ? call : { id: String(id), ...call };
}

/** What came back for a call. */
export interface ToolResult {
  readonly callId: string | undefined;
  readonly outcome: Outcome;
}

/** Told by the client (`tool_result`), or within an answer by the API's own tools. Undefined for every other block. */
export function resultIn({ type, tool_use_id, content, is_error }: JsonObject): ToolResult | undefined {
  if (typeof type !== "string" || !type.endsWith("tool_result")) return undefined;
  const failed = typeof is_error === "boolean" ? is_error : hasFailed(content);
  const text = contentText(content);
  return { callId: nonEmpty(tool_use_id), outcome: failed === undefined ? { text } : { text, failed } };
}

/** The API's own tools tell a failure by the type of the content. */
function hasFailed(content: unknown): true | undefined {
  return stringIn(objectIn(content).type)?.endsWith("_error") === true ? true : undefined;
}

/** What a message says: its text blocks. */
export function wordsIn(content: unknown): string {
  return joinTexts(blocksOf(content).flatMap((block) => (block.type === "text" ? (nonEmpty(block.text) ?? []) : [])));
}

/** Blocks joined by line breaks, whatever is not text as a short mark. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return cutText(content);
  if (Array.isArray(content)) return joinTexts(content.map(blockText));
  return content === null || content === undefined ? "" : cutText(blockText(content));
}

/** What no model reads, and what is new each time. */
const UNREADABLE = new Set(["cache_control", "encrypted_content", "encrypted_index", "encrypted_stdout"]);

export function blockText(block: unknown): string {
  if (!isObject(block)) return stringIn(block) ?? jsonText(block) ?? "";
  if (block.type === "text") return stringIn(block.text) ?? "";
  if (block.type === "image" || block.type === "document") return `[${block.type}${likeness(dataOf(block))}]`;
  const readable = Object.entries(block).filter(([key]) => !UNREADABLE.has(key));
  return jsonText(Object.fromEntries(readable)) ?? "";
}

function dataOf({ source }: JsonObject): string | undefined {
  const { data, url, file_id } = objectIn(source);
  return stringIn(data) ?? stringIn(url) ?? stringIn(file_id);
}

/** An input comes as a value; every reader writes it down in one way. */
function argumentText(input: unknown): string {
  return cutText(stringIn(input) ?? (input === undefined || input === null ? "{}" : (jsonText(input) ?? "{}")));
}
