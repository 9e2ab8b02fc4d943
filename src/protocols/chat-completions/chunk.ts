import { arrayIn, type JsonObject, objectIn } from "../json/json.ts";
import { nonEmpty } from "./wire.ts";

/** What each chunk of one answer repeats. */
export function headOf({ id, created, model, system_fingerprint }: JsonObject): JsonObject {
  // Azure's first chunk has an empty id.
  const head = { id: nonEmpty(id), created, model, system_fingerprint };
  return Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined));
}

export function deltasOf(chunk: JsonObject): readonly JsonObject[] {
  return arrayIn(chunk.choices).map((choice) => objectIn(objectIn(choice).delta));
}
