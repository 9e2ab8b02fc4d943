import { finalShapeLike } from "../final-shape.ts";
import { arrayIn, isObject, type JsonObject, objectIn, parseForReading, stringIn } from "../json.ts";
import type { AnswerFormat, ParsedRequest } from "../protocol.ts";
import { carriedActions, spokenActions } from "../text-actions.ts";
import { conversationOf } from "./conversation.ts";
import { callsOf, contentText, partOf, toolsOf } from "./wire.ts";

/** What the request asks for; undefined if it is no chat-completions request with at least one message. */
export function readRequest(body: string): ParsedRequest | undefined {
  const request = parseForReading(body);
  if (!isObject(request) || !Array.isArray(request.messages)) return undefined;
  if (!request.messages.some((message) => partOf(message) !== undefined)) return undefined;
  return {
    model: stringIn(request.model),
    streams: request.stream === true,
    wantsUsage: objectIn(request.stream_options).include_usage === true,
    tools: toolsOf(request),
    format: formatOf(request),
    alternatives: typeof request.n === "number" && request.n > 1,
    hasTextActions: actsInText(arrayIn(request.messages)),
    wrapperTools: carriersIn(arrayIn(request.messages)),
    conversation: conversationOf(request.messages),
    body: request,
  };
}

function formatOf(request: JsonObject): AnswerFormat {
  const format = objectIn(request.response_format);
  const schema = objectIn(format.json_schema).schema;
  if (format.type === "json_schema" && schema !== undefined) return { kind: "schema", schema };
  const habit = habitIn(arrayIn(request.messages));
  if (habit !== undefined) return habit;
  return format.type === "json_object" || format.type === "json_schema" ? { kind: "json" } : { kind: "text" };
}

function actsInText(messages: readonly unknown[]): boolean {
  const latest = messages.findLast((message) => partOf(message) === "assistant");
  if (!isObject(latest) || callsOf(latest).length > 0) return false;
  return spokenActions(contentText(latest.content)) !== undefined;
}

function carriersIn(messages: readonly unknown[]): readonly string[] {
  const latest = messages.findLast((message) => isObject(message) && callsOf(message).length > 0);
  if (!isObject(latest)) return [];
  return callsOf(latest).flatMap(({ tool, args }) => (carriedActions(args) === undefined ? [] : [tool]));
}

function habitIn(messages: readonly unknown[]): AnswerFormat | undefined {
  const latest = messages.findLast((message) => partOf(message) === "assistant");
  if (!isObject(latest) || callsOf(latest).length > 0) return undefined;
  return finalShapeLike(contentText(latest.content));
}
