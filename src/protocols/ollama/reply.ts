import type { FinalMessage } from "../final-message.ts";
import type { StreamEvent } from "../framing.ts";
import { isObject, type JsonObject, parseJson } from "../json/json.ts";
import type { ReplyFormat } from "../wire-format.ts";
import { noCounts } from "./answer.ts";

export const replies: ReplyFormat<undefined> = {
  write(said, { model = "unloop" }, _, { created }) {
    const head = { model, created_at: new Date(created * 1000).toISOString() };
    const end = { done: true, done_reason: "stop", ...noCounts };
    const message = messageOf(said);
    const nothing = { role: "assistant", content: "" };
    return {
      whole: { ...head, message, ...end },
      events: [lineOf({ ...head, message, done: false }), lineOf({ ...head, message: nothing, ...end })],
    };
  },
  // The API tells no type and no code; ours stand beside what it tells.
  error({ code, status, message }) {
    const body = { error: message, type: status < 500 ? "invalid_request_error" : "api_error", code };
    return { body, event: lineOf(body) };
  },
};

/** What declines says so in words: clients find no JSON there. */
function messageOf({ text, call }: FinalMessage): JsonObject {
  const message = { role: "assistant", content: text ?? "" };
  if (call === undefined) return message;
  const args = parseJson(call.args);
  return {
    ...message,
    tool_calls: [{ function: { name: call.tool.name, arguments: isObject(args) ? args : {} } }],
  };
}

function lineOf(line: JsonObject): StreamEvent {
  return { event: undefined, data: JSON.stringify(line) };
}
