import { arrayIn, type JsonObject, nonEmpty, stringIn } from "../json/json.ts";
import type { Answer } from "../protocol.ts";
import { stepOfOutput } from "./conversation.ts";
import { usageOf } from "./usage.ts";

/** Undefined for what is no complete response: an error, one that is still under way or has failed. */
export function readAnswer(response: JsonObject): Answer | undefined {
  if (!Array.isArray(response.output)) return undefined;
  const status = stringIn(response.status) ?? "completed";
  if (status !== "completed" && status !== "incomplete") return undefined;
  return {
    id: nonEmpty(response.id),
    step: stepOfOutput(arrayIn(response.output)),
    finishReason: status,
    usage: usageOf(response.usage),
    model: nonEmpty(response.model),
  };
}
