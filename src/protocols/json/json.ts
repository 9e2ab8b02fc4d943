import { isObject, type Json, type JsonObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import { cutTextsIn, LONGEST_TEXT } from "../../text/text-span.ts";
import { atOnce, type Pieces } from "../../turns.ts";
import { requestWork, type Work } from "../../work.ts";

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

/** What a longer text holds is parsed in pieces, and others have their turn between two of them. In characters. */
const PIECE = 128 * 1024;
/** A shorter text is parsed in one go, which takes a process that has just begun a fraction of what pieces do. In characters. */
const AT_ONCE = 2 * PIECE;
/** To make a list, an object, a member: names that are all new are the dearest by far. */
const SIGN = 16;

/** A list or an object that is not closed yet; `parts` has its elements, or names with values, up to `from`. */
interface OpenValue {
  readonly isList: boolean;
  readonly start: number;
  from: number;
  parts?: Json[];
}

/** The same as `parseForReading`. No recursion: the nesting is the client's choice. @param read what becomes of each piece */
export function* readInPieces(text: string, work: Work, read = cutTextsIn): Pieces<Json> {
  if (text.length <= AT_ONCE || !/^\s*[[{]/.test(text)) return read(jsonValue(text, work));
  const open: OpenValue[] = [];
  let signs = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 0x22) at = stringEnd(text, at) - 1;
    const isClosing = (char | 0x20) === 0x7d;
    const isOpening = (char | 0x20) === 0x7b;
    if (!isClosing && !isOpening && char !== 0x2c) continue;
    // At once: what is never closed is never parsed.
    if (isOpening && !work.spend(SIGN)) return undefined;
    if (isOpening) open.push({ isList: char === 0x5b, start: at, from: at + 1 });
    else signs += 1;
    const [outer, inner] = [open.at(-2), open.at(-1)];
    if (isOpening || inner === undefined) continue;
    const isShort = inner.parts === undefined && at - inner.start < PIECE;
    if (isClosing) open.pop();
    // A short value is parsed with what is around it.
    if (isClosing ? isShort && outer !== undefined : at - inner.from < PIECE) continue;
    const isPaid = work.spend((at - inner.from) / 8 + SIGN * signs);
    if (
      !isPaid ||
      !takeParts(inner, text.slice(inner.from, at), read) ||
      (isClosing && inner.isList !== (char === 0x5d))
    )
      return undefined;
    [inner.from, signs] = [at, 0];
    if (isClosing) {
      const value = inner.isList ? inner.parts : Object.fromEntries((inner.parts ?? []) as [string, Json][]);
      if (outer === undefined) return /\S/.test(text.slice(at + 1)) ? undefined : value;
      if (!takeParts(outer, `${text.slice(outer.from, inner.start)}null`, read)) return undefined;
      if (outer.isList) outer.parts?.splice(-1, 1, value);
      else outer.parts?.push([nameBefore(text, inner.start), value]);
      outer.from = at + 1;
    }
    if (work.isDue()) yield;
  }
  return undefined;
}

/** A tenth of a second, with some 200,000 commas and brackets (2,000 tokens with five `logprobs` each). */
const EVENT_WORK = 3_500_000;

/** Of an event, or an answer in one piece, which is read without a pause. */
export function eventValue(text: string): Json {
  if (text.length <= AT_ONCE) return parseJson(text);
  return atOnce(readInPieces(text, requestWork().part(EVENT_WORK), (piece) => piece));
}

/** Whether what is written behind the parts that it has is JSON. */
function takeParts(open: OpenValue, written: string, read: (value: Json) => Json): boolean {
  const own = open.parts === undefined ? written : /^\s*(?:,(?=\s*\S)|$)([\s\S]*)/.exec(written)?.[1];
  const value = read(own === undefined ? own : parseJson(open.isList ? `[${own}]` : `{${own}}`));
  open.parts ??= [];
  for (const part of Array.isArray(value) ? value : Object.entries(Object(value))) open.parts.push(part);
  return value !== undefined;
}

/** The name of the member whose value begins here. */
function nameBefore(text: string, at: number): string {
  const end = text.lastIndexOf('"', at);
  let start = text.lastIndexOf('"', end - 1);
  while (isEscaped(text, start)) start = text.lastIndexOf('"', start - 1);
  return String(parseJson(text.slice(start, end + 1)));
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
