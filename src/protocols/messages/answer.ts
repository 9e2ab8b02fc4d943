import { type JsonObject, nonEmpty, stringIn } from "../json/json.ts";
import type { Answer } from "../protocol.ts";
import { roleOf } from "./blocks.ts";
import { stepOf } from "./conversation.ts";
import { usageOf } from "./usage.ts";

/** A whole answer; undefined for an error or another shape. */
export function readAnswer(message: JsonObject): Answer | undefined {
  if (roleOf(message) !== "assistant" || !Array.isArray(message.content)) return undefined;
  return {
    id: nonEmpty(message.id),
    step: stepOf(message),
    finishReason: stringIn(message.stop_reason),
    usage: usageOf(message.usage),
    model: nonEmpty(message.model),
  };
}
