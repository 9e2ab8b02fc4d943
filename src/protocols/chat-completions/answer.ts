import { isObject, type JsonObject, nonEmpty, stringIn } from "../json/json.ts";
import type { Answer } from "../protocol.ts";
import { firstChoice, isFailure } from "./chunk.ts";
import { stepOf } from "./messages.ts";
import { usageOf } from "./wire.ts";

/** A whole answer; undefined for an error or another shape. */
export function readAnswer(completion: JsonObject): Answer | undefined {
  if (isFailure(completion)) return undefined;
  const choice = firstChoice(completion);
  if (choice === undefined || !isObject(choice.message)) return undefined;
  return {
    id: nonEmpty(completion.id),
    step: stepOf(choice.message),
    finishReason: stringIn(choice.finish_reason),
    usage: usageOf(completion.usage),
    model: nonEmpty(completion.model),
  };
}
