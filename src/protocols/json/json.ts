import { isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import { cutTextsIn, LONGEST_TEXT } from "../../text/text-span.ts";
import type { Work } from "../../work.ts";

export { isObject } from "../../text/is-object.ts";

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

/** The value of a JSON text that a client or an upstream has written; undefined for any other text, and where no work is left. */
export function jsonValue(text: string, work: Work): unknown {
  return work.spend(text.length / 4) ? parseJson(text) : undefined;
}

/** The value of a JSON text, each of its texts cut to what is read of one: for what is looked at, never for what is sent on. */
export function parseForReading(text: string, work: Work): unknown {
  const value = jsonValue(text, work);
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

// --- where values stand in a text ---

/** A piece of the text, its end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/*
 * Finding one's way in JSON text that `JSON.parse` has already accepted, so that nothing here checks the grammar again.
 * No recursion: the nesting is the client's choice. Strings are leapt over with `indexOf`, because a history is
 * nearly all string: 0.2 to 0.4 ms for 280 KB, where jsonc-parser takes 1.8 (and its tree overflows the stack on deep nesting).
 */

/** The value of the whole text. */
export function rootSpan(text: string): Span {
  let end = text.length;
  while (isSpace(text.charCodeAt(end - 1))) end -= 1;
  return { start: skipSpace(text, 0), end };
}

/** The values of an object by key; none of anything else. Of equal keys the last holds, as for `JSON.parse`. */
export function membersOf(text: string, object: Span): ReadonlyMap<string, Span> {
  const members = new Map<string, Span>();
  if (text[object.start] !== "{") return members;
  for (let at = skipSpace(text, object.start + 1); text[at] !== "}"; ) {
    const keyEnd = stringEnd(text, at);
    const key = String(JSON.parse(text.slice(at, keyEnd)));
    const value = valueAt(text, skipSpace(text, keyEnd) + 1);
    members.set(key, value);
    at = nextItem(text, value.end);
  }
  return members;
}

/** The elements of an array, in order; none of anything else. */
export function elementsOf(text: string, array: Span): readonly Span[] {
  const elements: Span[] = [];
  if (text[array.start] !== "[") return elements;
  for (let at = skipSpace(text, array.start + 1); text[at] !== "]"; ) {
    const value = valueAt(text, at);
    elements.push(value);
    at = nextItem(text, value.end);
  }
  return elements;
}

/** Where the last value of a non-empty object or array ends: new members and elements go there. */
export function innerEnd(text: string, container: Span): number {
  let end = container.end - 1;
  while (isSpace(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

function nextItem(text: string, valueEnd: number): number {
  const at = skipSpace(text, valueEnd);
  return text[at] === "," ? skipSpace(text, at + 1) : at;
}

function valueAt(text: string, from: number): Span {
  const start = skipSpace(text, from);
  const first = text[start];
  if (first === '"') return { start, end: stringEnd(text, start) };
  return { start, end: first === "{" || first === "[" ? containerEnd(text, start) : scalarEnd(text, start) };
}

function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1;
  return slashes % 2 === 1;
}

/** Where the object or array ends that begins at `start`; the end of the text if it is not closed. */
export function containerEnd(text: string, start: number): number {
  const structure = /["{}[\]]/g;
  structure.lastIndex = start;
  let depth = 0;
  for (let match = structure.exec(text); match !== null; match = structure.exec(text)) {
    const [mark] = match;
    if (mark === '"') structure.lastIndex = stringEnd(text, match.index);
    else depth += mark === "{" || mark === "[" ? 1 : -1;
    if (depth === 0) return structure.lastIndex;
  }
  return text.length;
}

function scalarEnd(text: string, start: number): number {
  const end = /[\s,\]}]/g;
  end.lastIndex = start;
  return end.exec(text)?.index ?? text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Puts `text` in the place of what lies between `start` and `end`. */
export interface Splice extends Span {
  readonly text: string;
}

/** A value of the body and where its text lies. */
export interface LocatedValue<Value> {
  readonly value: Value;
  readonly span: Span;
}

export function insertion(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

/** The piece of the body with the splices made; none of them may overlap another. */
export function spliced(body: string, splices: readonly Splice[], { start, end }: Span): string {
  const pieces: string[] = [];
  let from = start;
  for (const splice of splices.toSorted((one, other) => one.start - other.start)) {
    pieces.push(body.slice(from, splice.start), splice.text);
    from = splice.end;
  }
  return pieces.join("") + body.slice(from, end);
}

export function placedElements(
  body: string,
  values: readonly unknown[],
  array: Span | undefined,
): readonly LocatedValue<unknown>[] {
  const spans = array === undefined ? [] : elementsOf(body, array);
  return spans.map((span, index) => ({ value: values[index], span }));
}

/** Follows the path of member names inwards; undefined where it ends early. */
export function placedWithin(
  body: string,
  from: LocatedValue<unknown>,
  path: readonly string[],
): LocatedValue<unknown> | undefined {
  let place = from;
  for (const name of path) {
    const span = membersOf(body, place.span).get(name);
    if (span === undefined || !isObject(place.value)) return undefined;
    place = { value: place.value[name], span };
  }
  return place;
}

/** A JSON object, its own text, and where its members stand in it. */
export interface LocatedBody {
  readonly text: string;
  readonly body: JsonObject;
  readonly span: Span;
  readonly members: ReadonlyMap<string, Span>;
}

/** Undefined for what is no JSON object. */
export function locatedBody(text: string): LocatedBody | undefined {
  const body = parseJson(text);
  if (!isObject(body)) return undefined;
  const span = rootSpan(text);
  return { text, body, span, members: membersOf(text, span) };
}

/** A member's value in place of the one it has, or as a new one. */
export function memberSplice({ text, span, members }: LocatedBody, key: string, json: string): Splice {
  const place = members.get(key);
  if (place !== undefined) return { ...place, text: json };
  return insertion(innerEnd(text, span), `,${JSON.stringify(key)}:${json}`);
}

// --- a text that breaks off ---

/**
 * What JSON text that breaks off lacks to be whole: the end of a string, values that are missing, closing brackets.
 * Undefined if it can be made whole only by taking something back, or is no JSON so far.
 */
export function closingOf(text: string): string | undefined {
  for (const ending of endingsFor(text)) {
    if (parseJson(text + ending) !== undefined) return ending;
  }
  return undefined;
}

/** In the order of what they add: nothing, then as little as could do. Of a text that has not begun, an object. */
function endingsFor(text: string): readonly string[] {
  if (text.trim() === "") return ["{}"];
  const { open, inString, escaping } = stateAt(text);
  const close = open.toReversed().join("");
  if (inString) {
    const whole = `${escaping}"`;
    return [`${whole}${close}`, `${whole}:null${close}`];
  }
  const word = /(?<![a-z])[a-z]{1,5}$/.exec(text.slice(-6))?.[0] ?? "";
  const rest = ["true", "false", "null"].find((literal) => word !== "" && literal.startsWith(word))?.slice(word.length);
  const values = ["", ...(rest === undefined ? [] : [rest]), "null", "0", ":null", '"":null'];
  return values.map((value) => `${value}${close}`);
}

interface JsonState {
  /** The brackets that close what is open, outermost first. */
  readonly open: readonly string[];
  readonly inString: boolean;
  /** What an escape sequence lacks that has only begun. */
  readonly escaping: string;
}

function stateAt(text: string): JsonState {
  const open: string[] = [];
  let inString = false;
  let escapedAt = -1;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString && char === "\\") escapedAt = i++;
    else if (char === '"') inString = !inString;
    else if (inString) continue;
    else if (char === "{") open.push("}");
    else if (char === "[") open.push("]");
    else if (char === "}" || char === "]") open.pop();
  }
  return {
    open,
    inString,
    escaping: inString ? escapeRest(text.slice(escapedAt === -1 ? text.length : escapedAt)) : "",
  };
}

/** @param tail from the latest backslash on */
function escapeRest(tail: string): string {
  if (tail === "\\") return "\\";
  const digits = /^\\u([\da-fA-F]{0,3})$/.exec(tail)?.[1];
  return digits === undefined ? "" : "0".repeat(4 - digits.length);
}
