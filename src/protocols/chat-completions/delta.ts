import { lastIndexIn } from "../../bytes.ts";
import type { Step } from "../../step.ts";
import { COMMA, endOfElements, isObject, parseForReading } from "../json/json.ts";
import type { ParsedRequest, RequestDelta } from "../protocol.ts";
import { conversationOf } from "./messages.ts";
import { show } from "./request.ts";
import { callsOf, nonEmpty, partOf } from "./wire.ts";

/** How a body goes on behind the messages that an earlier one of its run has carried already. */
export const delta: RequestDelta = { comparable: (body) => body, endOfMessages, newestCallId, stepsBetween };

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

function endOfMessages(body: Uint8Array, { wire }: ParsedRequest): number | undefined {
  const { body: request } = show(wire);
  const names = Object.keys(request);
  return endOfElements(body, names.length - 1 - names.indexOf("messages"));
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
