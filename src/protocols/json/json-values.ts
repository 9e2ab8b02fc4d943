import { isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import { cutTextsIn, LONGEST_TEXT } from "../../text/text-span.ts";

export { isObject } from "../../text/is-object.ts";
export { parseJson } from "../../text/parse-json.ts";

/** An object as `JSON.parse` makes them: any keys, any values. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function arrayIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function stringIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The member at the end of a path of names; undefined where there is none. */
export function memberAt(value: unknown, path: readonly string[]): unknown {
  let member = value;
  for (const name of path) {
    if (!isObject(member) || !Object.hasOwn(member, name)) return undefined;
    member = member[name];
  }
  return member;
}

export function nonEmpty(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value of a JSON text, each of its texts cut to what is read of one: for what is looked at, never for what is sent on. */
export function parseForReading(text: string): unknown {
  const value = parseJson(text);
  return text.length <= LONGEST_TEXT ? value : cutTextsIn(value);
}

/** Undefined if the value has no JSON text: functions and the like, or nesting too deep for `JSON.stringify`. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // V8 reads JSON of any depth but writes only some thousand levels.
    return undefined;
  }
}
