import type { Json } from "./is-object.ts";

/** The value of a JSON text; undefined where it is none, which is an expected answer to a question and no failure. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
