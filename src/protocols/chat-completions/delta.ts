import { promptConversation } from "../dialects/dialects.ts";
import { isObject, nonEmpty } from "../json/json.ts";
import type { DeltaFormat } from "../wire-format.ts";
import { messagesOf } from "./messages.ts";
import { callsOf, partOf } from "./wire.ts";

/** How a body goes on behind the messages that an earlier one of its run has carried already. */
export const delta: DeltaFormat = {
  comparable: (body) => body,
  list: "messages",
  resultKey: "tool_call_id",
  members: (body) => Object.keys(body),
  steps: (messages) => (standsAlone(messages) ? promptConversation(messagesOf(messages)).steps : undefined),
};

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
