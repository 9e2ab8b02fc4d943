import type { Step } from "../../step.ts";
import { addedElements, endOfElements, isObject, textsFromEnd, nonEmpty } from "../json/json.ts";
import type { ParsedRequest, RequestDelta } from "../protocol.ts";
import { conversationOf } from "./messages.ts";
import { show } from "./request.ts";
import { callsOf, partOf } from "./wire.ts";

/** How a body goes on behind the messages that an earlier one of its run has carried already. */
export const delta: RequestDelta = { comparable: (body) => body, endOfMessages, newestCallIds, stepsBetween };

function newestCallIds(body: Uint8Array): Iterable<string> {
  return textsFromEnd(body, "tool_call_id");
}

function endOfMessages(body: Uint8Array, { wire }: ParsedRequest): number | undefined {
  const { body: request } = show(wire);
  const names = Object.keys(request);
  return endOfElements(body, names.length - 1 - names.indexOf("messages"));
}

function stepsBetween(body: Uint8Array, from: number, to: number): readonly Step[] | undefined {
  const messages = addedElements(body, from, to);
  return messages !== undefined && standsAlone(messages) ? conversationOf(messages).steps : undefined;
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
