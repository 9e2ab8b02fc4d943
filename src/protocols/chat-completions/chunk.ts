import { arrayIn, isObject, type JsonObject, nonEmpty, objectIn } from "../json/json.ts";

/** What each chunk of one answer repeats. */
export function headOf({ id, created, model, system_fingerprint }: JsonObject): JsonObject {
  // Azure's first chunk has an empty id.
  const head = { id: nonEmpty(id), created, model, system_fingerprint };
  return Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined));
}

/** Of several alternatives the one that agents read. */
export function firstChoice(payload: JsonObject): JsonObject | undefined {
  for (const choice of arrayIn(payload.choices)) {
    if (isObject(choice) && (choice.index ?? 0) === 0) return choice;
  }
  return undefined;
}

/** The member of a delta that has what the model thinks: servers know it by two names, and some write both. */
export function reasoningIn({ reasoning_content }: JsonObject): "reasoning_content" | "reasoning" {
  return reasoning_content === undefined || reasoning_content === null ? "reasoning" : "reasoning_content";
}

/** Where a call in a delta has its input: an object, and the member's name. */
export function inputOf(call: JsonObject): readonly [JsonObject, "input" | "arguments"] {
  return isObject(call.custom) ? [call.custom, "input"] : [objectIn(call.function), "arguments"];
}

export function isFailure(payload: JsonObject): boolean {
  return payload.error !== undefined && payload.error !== null;
}
