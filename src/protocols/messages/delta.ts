import type { Step } from "../../step.ts";
import { historyOf } from "../dialects/dialects.ts";
import { addedElements, endOfElements, isObject, textsFromEnd } from "../json/json.ts";
import type { ParsedRequest, RequestDelta } from "../protocol.ts";
import { blocksOf, callIn, resultIn, roleOf } from "./blocks.ts";
import { withoutCacheMarks } from "./cache-marks.ts";
import { neutralMessages } from "./conversation.ts";
import { show } from "./request.ts";

/** How a body goes on behind the messages that an earlier one of its run has carried already. */
export const delta: RequestDelta = { comparable: withoutCacheMarks, endOfMessages, newestCallIds, stepsBetween };

function newestCallIds(body: Uint8Array): Iterable<string> {
  return textsFromEnd(body, "tool_use_id");
}

function endOfMessages(body: Uint8Array, { wire }: ParsedRequest): number | undefined {
  const names = Object.keys(show(wire).body);
  return endOfElements(body, names.length - 1 - names.indexOf("messages"));
}

function stepsBetween(body: Uint8Array, from: number, to: number): readonly Step[] | undefined {
  const messages = addedElements(body, from, to);
  return messages !== undefined && standsAlone(messages)
    ? historyOf(neutralMessages({ messages }).messages).conversation.steps
    : undefined;
}

/** It begins with an answer and tells only of its own calls: read alone it is what it is in its place. */
function standsAlone(messages: readonly unknown[]): boolean {
  if (roleOf(messages[0]) !== "assistant") return false;
  const ids = new Set<string | undefined>();
  for (const message of messages) {
    if (!isObject(message)) return false;
    const isAnswer = roleOf(message) === "assistant";
    for (const block of blocksOf(message.content)) {
      if (isAnswer) ids.add(callIn(block)?.id);
      else if (!ids.has(resultIn(block)?.callId)) return false;
    }
  }
  return true;
}
