import { historyOf } from "../dialects/dialects.ts";
import { isObject } from "../json/json.ts";
import type { DeltaFormat } from "../wire-format.ts";
import { blocksOf, callIn, resultIn, roleOf } from "./blocks.ts";
import { withoutCacheMarks } from "./cache-marks.ts";
import { neutralMessages } from "./conversation.ts";

/** How a body goes on behind the messages that an earlier one of its run has carried already. */
export const delta: DeltaFormat = {
  comparable: withoutCacheMarks,
  list: "messages",
  resultKey: "tool_use_id",
  members: (body) => Object.keys(body),
  steps: (messages) =>
    standsAlone(messages) ? historyOf(neutralMessages({ messages }).messages).conversation.steps : undefined,
};

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
