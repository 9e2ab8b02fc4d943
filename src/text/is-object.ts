/** A value of JSON. Of what others have written only who has work makes one (`jsonValue`, `parseJsonText`), so that it was paid for. */
export type Json = string | number | boolean | null | undefined | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** An object as `JSON.parse` makes them: any keys, any values; no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
