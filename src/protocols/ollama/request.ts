import { isChatRequest, requests as chat } from "../chat-completions/chat-completions.ts";
import { type EditFormat, placedTools, silenced } from "../edits.ts";
import { type Json, arrayIn, isObject, type JsonObject, objectIn } from "../json/json.ts";
import type { NeutralHistory, RequestFormat } from "../requests.ts";

/** No tool can be chosen: what is not to be called is not offered. */
const edits: EditFormat = {
  ...chat.edits,
  offers: (body) =>
    placedTools(body, "tools", (tool) => ({ name: objectIn(tool.function).name, schema: ["function", "parameters"] })),
  silence: (body) => silenced(body, "tools", "tools", "[]"),
  schemas: [["format"]],
};

export const requests: RequestFormat = {
  ...chat,
  // One without messages only loads its model.
  streams: ({ stream }) => stream !== false,
  sampling: ["model", "options.temperature", "options.top_p", "options.seed"],
  history: (body) => inTurns(chat.history({ messages: arrayIn(body.messages).map(chatMessage) })),
  terms(body) {
    const { format: schema } = body;
    const format = isObject(schema) ? ({ kind: "schema", schema } as const) : undefined;
    return {
      ...chat.terms(body),
      toolChoice: undefined,
      format: format ?? { kind: schema === "json" ? "json" : "text" },
    };
  },
  edits,
};

/** Calls have no ids, and some clients tell those of one turn in messages of their own, before the first result comes. */
function inTurns(entries: NeutralHistory): NeutralHistory {
  const told: NeutralHistory[number][] = [];
  for (const { message, at } of entries) {
    const last = told.at(-1)?.message;
    const goesOn = last?.part === "assistant" && last.calls.length > 0;
    if (goesOn && message?.part === "assistant" && message.calls.length > 0) {
      const text = [last.text, message.text].filter((one) => one !== "").join("\n");
      told.splice(-1, 1, { message: { ...last, text, calls: [...last.calls, ...message.calls] }, at });
    } else told.push({ message, at });
  }
  return told;
}

/** As chat completions tell it: there a result names its tool otherwise, and images stand in the content. */
function chatMessage(message: Json): Json {
  if (!isObject(message)) return message;
  const { content, tool_name: name, images } = message;
  const named = name === undefined ? message : { ...message, name };
  if (!Array.isArray(images) || images.length === 0) return named;
  const marks = images.map((image) => ({ type: "image_url", image_url: image }));
  return { ...named, content: [{ type: "text", text: content }, ...marks] };
}

const OWN_MEMBERS = ["options", "keep_alive", "think", "format"];
/** Of a message: a request to other formats has a `thinking` of its own. */
const OWN_IN_MESSAGES = ["tool_name", "thinking", "images"];

export function recognises(body: Json): boolean {
  if (!isChatRequest(body) || !isObject(body)) return false;
  const messages = arrayIn(body.messages).map(objectIn);
  const calls = messages.flatMap(({ tool_calls }) => arrayIn(tool_calls));
  const hasAny = (one: JsonObject, names: readonly string[]) => names.some((name) => one[name] !== undefined);
  if (hasAny(body, OWN_MEMBERS) || messages.some((one) => hasAny(one, OWN_IN_MESSAGES))) return true;
  return calls.some((call) => isObject(objectIn(objectIn(call).function).arguments));
}
