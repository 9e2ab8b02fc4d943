import { historyOf } from "../dialects/dialects.ts";
import { arrayIn, isObject, type JsonObject, objectIn, stringIn } from "../json/json.ts";
import type { AnswerFormat } from "../protocol.ts";
import type { RequestFormat } from "../wire-format.ts";
import { messagesOf } from "./messages.ts";
import { partOf, toolChoiceOf, toolsOf } from "./wire.ts";

export const requests: RequestFormat<undefined> = {
  recognises: isChatRequest,
  isRequest: isChatRequest,
  streams: ({ stream }) => stream === true,
  sampling: ["model", "temperature", "top_p", "seed", "user"],
  read(body) {
    const messages = messagesOf(arrayIn(body.messages));
    const tools = toolsOf(body);
    return {
      messages,
      history: historyOf(messages),
      tools,
      hasTools: tools.length > 0,
      toolChoice: toolChoiceOf(body),
      format: formatOf(body),
      alternatives: typeof body.n === "number" && body.n > 1,
      previousAnswerId: undefined,
      keptUnder: undefined,
      unread: stringIn(objectIn(arrayIn(body.messages).find((message) => partOf(message) === undefined)).role),
      own: undefined,
    };
  },
};

/** Whether a body is one of a chat-completions request with at least one message. */
function isChatRequest(body: unknown): boolean {
  return isObject(body) && arrayIn(body.messages).some((message) => partOf(message) !== undefined);
}

function formatOf(request: JsonObject): AnswerFormat {
  const format = objectIn(request.response_format);
  const schema = objectIn(format.json_schema).schema;
  if (format.type === "json_schema" && schema !== undefined) return { kind: "schema", schema };
  return format.type === "json_object" || format.type === "json_schema" ? { kind: "json" } : { kind: "text" };
}
