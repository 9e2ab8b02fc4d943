import { conversationOf, type Habits, habitsOf } from "../dialects/dialects.ts";
import { isObject, type JsonObject, objectIn, parseForReading, stringIn } from "../json/json.ts";
import type { AnswerFormat, ParsedRequest } from "../protocol.ts";
import { messagesOf } from "./messages.ts";
import { partOf, toolsOf } from "./wire.ts";

/** What the request asks for; undefined if it is no chat-completions request with at least one message. */
export function readRequest(body: string): ParsedRequest | undefined {
  const request = parseForReading(body);
  if (!isObject(request) || !Array.isArray(request.messages)) return undefined;
  if (!request.messages.some((message) => partOf(message) !== undefined)) return undefined;
  const messages = messagesOf(request.messages);
  const habits = habitsOf(messages);
  return {
    model: stringIn(request.model),
    streams: request.stream === true,
    wantsUsage: objectIn(request.stream_options).include_usage === true,
    tools: toolsOf(request),
    format: formatOf(request, habits),
    alternatives: typeof request.n === "number" && request.n > 1,
    hasTextActions: habits.spoken !== undefined,
    wrapperTools: habits.wrapperTools,
    conversation: conversationOf(messages),
    body: request,
  };
}

function formatOf(request: JsonObject, { spoken }: Habits): AnswerFormat {
  const format = objectIn(request.response_format);
  const schema = objectIn(format.json_schema).schema;
  if (format.type === "json_schema" && schema !== undefined) return { kind: "schema", schema };
  if (spoken !== undefined) return { kind: "dialect", ...spoken };
  return format.type === "json_object" || format.type === "json_schema" ? { kind: "json" } : { kind: "text" };
}
