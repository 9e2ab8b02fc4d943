import { lastIndexIn } from "../../bytes.ts";
import type { Step } from "../../step.ts";
import { isObject, parseForReading } from "../json.ts";
import type { ParsedRequest, RequestTail } from "../protocol.ts";
import { conversationOf } from "./conversation.ts";
import { callsOf, nonEmpty, partOf } from "./wire.ts";

/** How a body goes on behind the messages that an earlier one of its run has carried already. */
export const tail: RequestTail = { endOfMessages, newestCallId, stepsBetween };

/** Farther from the end nobody looks for an id: it is only a hint. In bytes. */
const HINT_SPAN = 256 * 1024;
const ID = '"tool_call_id"';
const LATIN1 = new TextDecoder("latin1");
const ID_VALUE = /^"tool_call_id"\s*:\s*"([^"\\]{1,256})"/;

function newestCallId(body: Uint8Array): string | undefined {
  const near = body.subarray(-HINT_SPAN);
  const at = lastIndexIn(near, ID);
  if (at === -1) return undefined;
  return ID_VALUE.exec(LATIN1.decode(near.subarray(at, at + 300)))?.[1];
}

function endOfMessages(body: Uint8Array, { body: request }: ParsedRequest): number | undefined {
  const names = Object.keys(request);
  const bracket = closingBracket(body, names.length - 1 - names.indexOf("messages"));
  if (bracket === undefined) return undefined;
  const last = beforeBlanks(body, bracket - 1);
  return body[last] === CLOSING_BRACE ? last + 1 : undefined;
}

function stepsBetween(body: Uint8Array, from: number, to: number): readonly Step[] | undefined {
  if (from >= to || body[from] !== COMMA) return undefined;
  const text = textOf(body.subarray(from + 1, to));
  const messages = text === undefined ? undefined : parseForReading(`[${text}]`);
  return Array.isArray(messages) && standsAlone(messages) ? conversationOf(messages).steps : undefined;
}

/** It begins with an answer, tells only of its own calls, and changes no instruction: read alone it is what it is in its place. */
function standsAlone(messages: readonly unknown[]): boolean {
  if (partOf(messages[0]) !== "assistant") return false;
  const ids = new Set<string | undefined>();
  for (const message of messages) {
    const part = partOf(message);
    if (!isObject(message) || part === "instruction") return false;
    if (part === "assistant") for (const { id } of callsOf(message)) ids.add(id);
    const answered = part === "result" ? nonEmpty(message.tool_call_id) : undefined;
    if (answered !== undefined && !ids.has(answered)) return false;
  }
  return true;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    // What is no text is looked at whole, and passes as it is.
    return undefined;
  }
}

// --- A body from its end: in valid JSON a quotation mark outside of a string can only be a string's own ---

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Offset of the bracket that closes the member of the outermost object behind which stand so many others. */
function closingBracket(body: Uint8Array, membersBehind: number): number | undefined {
  let members = membersBehind;
  let depth = 0;
  for (let at = body.length - 1; at >= 0; at--) {
    const byte = body[at];
    if (byte === QUOTE) at = openingQuote(body, at);
    else if (byte === COMMA && depth === 1) members--;
    else if (byte === BRACE || byte === BRACKET) depth--;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      if (depth === 1 && members === 0) return byte === CLOSING_BRACKET ? at : undefined;
      depth++;
    }
  }
  return undefined;
}

function openingQuote(body: Uint8Array, closing: number): number {
  for (let at = body.lastIndexOf(QUOTE, closing - 1); at > 0; at = body.lastIndexOf(QUOTE, at - 1)) {
    let escapes = 0;
    while (body[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return 0;
}

function beforeBlanks(body: Uint8Array, from: number): number {
  let at = from;
  while (at >= 0 && (body[at] ?? 0) <= 0x20) at--;
  return at;
}
