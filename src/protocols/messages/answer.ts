import { isObject, nonEmpty, parseJson, stringIn } from "../json/json.ts";
import type { Answer } from "../protocol.ts";
import { roleOf } from "./blocks.ts";
import { stepOf } from "./conversation.ts";
import { usageOf } from "./usage.ts";

/** A whole answer; undefined for an error or another shape. */
export function readAnswer(json: string): Answer | undefined {
  const message = parseJson(json);
  if (!isObject(message) || roleOf(message) !== "assistant" || !Array.isArray(message.content)) return undefined;
  return {
    id: nonEmpty(message.id),
    step: stepOf(message),
    finishReason: stringIn(message.stop_reason),
    usage: usageOf(message.usage),
  };
}
