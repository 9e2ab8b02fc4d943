import { arrayIn, isObject, type JsonObject, nonEmpty } from "../json/json.ts";

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

export function isFailure(payload: JsonObject): boolean {
  return payload.error !== undefined && payload.error !== null;
}
