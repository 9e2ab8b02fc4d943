import { isObject, type Json, type JsonObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import { cutTextsIn, LONGEST_TEXT } from "../../text/text-span.ts";
import type { Work } from "../../work.ts";

export { isObject, type Json, type JsonObject } from "../../text/is-object.ts";

export const objectIn = (value: Json): JsonObject => (isObject(value) ? value : {});
export const arrayIn = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);
export const stringIn = (value: Json) => (typeof value === "string" ? value : undefined);
export const nonEmpty = (value: Json) => (typeof value === "string" && value !== "" ? value : undefined);

export const memberAt = (value: Json, path: readonly string[]): Json =>
  path.reduce((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);

/** The value of a JSON text that a client or an upstream has written; undefined for any other text, and where no work is left. */
export function jsonValue(text: string, work: Work): Json {
  return work.spend(text.length / 8) ? parseJson(text) : undefined;
}

/** The value of a JSON text, each of its texts cut to what is read of one: for what is looked at, never for what is sent on. */
export function parseForReading(text: string, work: Work): Json {
  const value = jsonValue(text, work);
  return text.length <= LONGEST_TEXT ? value : cutTextsIn(value);
}

/** Undefined if the value has no JSON text: functions and the like, or nesting too deep for `JSON.stringify`. */
export function jsonText(value: Json | readonly object[]): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // V8 reads JSON of any depth but writes only some thousand levels.
    return undefined;
  }
}

export function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1;
  return slashes % 2 === 1;
}

export function containerEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 0x22) at = stringEnd(text, at) - 1;
    // The brackets of lists and objects differ in one bit.
    else if ((char | 0x20) === 0x7b) depth += 1;
    else if ((char | 0x20) === 0x7d && --depth === 0) return at + 1;
  }
  return text.length;
}

/** What JSON text that breaks off lacks to be whole. Undefined if nothing that is added makes it so. */
export function closingOf(text: string): string | undefined {
  for (const ending of endingsFor(text)) {
    if (parseJson(text + ending) !== undefined) return ending;
  }
  return undefined;
}

/** In the order of what they add: nothing, then as little as could do. Of a text that has not begun, an object. */
function endingsFor(text: string): readonly string[] {
  if (text.trim() === "") return ["{}"];
  const { open, inString, escapedAt } = stateAt(text);
  const close = open.toReversed().join("");
  if (inString) {
    const whole = `${escapeRest(text.slice(escapedAt))}"`;
    return [`${whole}${close}`, `${whole}:null${close}`];
  }
  const word = /(?<![a-z])[a-z]{1,5}$/.exec(text.slice(-6))?.[0] ?? "";
  const rest = ["true", "false", "null"].find((literal) => word !== "" && literal.startsWith(word))?.slice(word.length);
  const values = ["", ...(rest === undefined ? [] : [rest]), "null", "0", ":null", '"":null'];
  return values.map((value) => `${value}${close}`);
}

function stateAt(text: string) {
  const open: string[] = [];
  let [inString, escapedAt] = [false, text.length];
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString && char === "\\") escapedAt = i++;
    else if (char === '"') inString = !inString;
    else if (inString) continue;
    else if (char === "{") open.push("}");
    else if (char === "[") open.push("]");
    else if (char === "}" || char === "]") open.pop();
  }
  return { open, inString, escapedAt };
}

function escapeRest(tail: string): string {
  if (tail === "\\") return "\\";
  const digits = /^\\u([\da-fA-F]{0,3})$/.exec(tail)?.[1];
  return digits === undefined ? "" : "0".repeat(4 - digits.length);
}
