import { chatFormat } from "../chat-completions/chat-completions.ts";
import { defineProtocol } from "../define-protocol.ts";
import { ndjson } from "../ndjson.ts";
import { addCounts, noCounts, readAnswer } from "./answer.ts";
import { streams } from "./streams.ts";
import {
  arrayIn,
  isObject,
  type JsonObject,
  nonEmpty,
  objectIn,
  parseJson,
  placedElements,
  placedWithin,
  spliced,
} from "../json/json.ts";
import {
  type FinishFormat,
  memberSplice,
  type PlacedTool,
  type ReplyFormat,
  type RequestFormat,
} from "../wire-format.ts";
import type { FinalMessage } from "../final-message.ts";
import type { StreamEvent } from "../framing.ts";
import type { AnswerFormat } from "../protocol.ts";

const { requests: ofChat } = chatFormat;

const requests: RequestFormat<undefined> = {
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
function chatMessages(messages: readonly unknown[]): readonly unknown[] {
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

const replies: ReplyFormat<undefined> = {
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

/** No tool can be chosen, so what is not to be called is not offered. */
const finish: FinishFormat = {
  ...chatFormat.edits.finish,
  offers(located) {
    const { text, body, members } = located;
    return placedElements(text, arrayIn(body.tools), members.get("tools")).flatMap((tool): readonly PlacedTool[] => {
      const name = nonEmpty(objectIn(objectIn(tool.value).function).name);
      if (name === undefined) return [];
      return [
        {
          name,
          schema: placedWithin(text, tool, ["function", "parameters"]),
          alone: (splices) => [memberSplice(located, "tools", `[${spliced(text, splices, tool.span)}]`)],
        },
      ];
    });
  },
  silence: (located) => (arrayIn(located.body.tools).length === 0 ? [] : [memberSplice(located, "tools", "[]")]),
  schemas: [["format"]],
};

const { edits, delta, question } = chatFormat;

/** `POST /api/chat`, Ollama's: its messages are those of chat completions, its answers are its own. */
export const ollama = defineProtocol({
  name: "ollama",
  path: "/api/chat",
  endpoints: [/(^|\/)api\/chat$/],
  refusalStatus: 400,
  framing: () => ndjson,
  requests,
  edits: { ...edits, finish },
  delta: { ...delta, steps: (messages) => delta.steps(chatMessages(messages)) },
  threads: undefined,
  answers: { read: readAnswer, addUsage: addCounts },
  streams,
  replies,
  question: (asked, said) => ({ ...question({ ...asked, answer: undefined }, said), stream: false }),
});
