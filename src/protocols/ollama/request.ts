import { chatFormat } from "../chat-completions/chat-completions.ts";
import { arrayIn, isObject, type JsonObject, objectIn } from "../json/json.ts";
import type { AnswerFormat } from "../protocol.ts";
import type { RequestFormat } from "../wire-format.ts";

const { requests: ofChat } = chatFormat;

export const requests: RequestFormat<undefined> = {
  recognises: (body) => ofChat.recognises(body) && isOwn(objectIn(body)),
  // One without messages only loads its model.
  isRequest: ofChat.isRequest,
  streams: ({ stream }) => stream !== false,
  sampling: ["model", "options.temperature", "options.top_p", "options.seed"],
  read: (body, previous) => ({
    ...ofChat.read({ ...body, messages: chatMessages(arrayIn(body.messages)) }, previous),
    toolChoice: undefined,
    format: formatOf(body),
  }),
};

/** As chat completions tell them: there a result names its tool otherwise, and images stand in the content. */
export function chatMessages(messages: readonly unknown[]): readonly unknown[] {
  return messages.map((message) => {
    if (!isObject(message)) return message;
    const { tool_name: name, images } = message;
    const named = name === undefined ? message : { ...message, name };
    return Array.isArray(images) && images.length > 0 ? { ...named, content: withImages(message, images) } : named;
  });
}

function withImages({ content }: JsonObject, images: readonly unknown[]): readonly unknown[] {
  const marks = images.map((image) => ({ type: "image_url", image_url: image }));
  return [{ type: "text", text: content }, ...marks];
}

/** Members that no body of chat completions has. */
const OWN_MEMBERS = ["options", "keep_alive", "think", "format"];

function isOwn(body: JsonObject): boolean {
  return OWN_MEMBERS.some((name) => body[name] !== undefined) || arrayIn(body.messages).some(isOwnMessage);
}

function isOwnMessage(message: unknown): boolean {
  const { tool_name, thinking, images, tool_calls } = objectIn(message);
  const calls = arrayIn(tool_calls).map((call) => objectIn(objectIn(call).function).arguments);
  return tool_name !== undefined || thinking !== undefined || images !== undefined || calls.some(isObject);
}

function formatOf({ format }: JsonObject): AnswerFormat {
  if (isObject(format)) return { kind: "schema", schema: format };
  return { kind: format === "json" ? "json" : "text" };
}
