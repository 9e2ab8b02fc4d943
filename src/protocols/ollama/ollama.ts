import { requestWork } from "../../work.ts";
import { recognises, requests } from "./request.ts";
import { requestsOf } from "../requests.ts";
import { chatCompletions, newIn } from "../chat-completions/chat-completions.ts";
import { type AnswersFormat, type AnswerWriter, answersOf, errorType } from "../answers.ts";
import type { FinalCall } from "../final-message.ts";
import { isObject, type JsonObject, jsonValue, objectIn } from "../json/json.ts";
import { ndjson } from "../framing.ts";
import type { ParsedRequest, Stamp, Protocol } from "../protocol.ts";
import { COUNTS, type LineStream, notBegun, reading } from "./answer.ts";

const nothing = { role: "assistant", content: "" };
const noCounts = Object.fromEntries(COUNTS.map((name) => [name, 0]));

function writer({ model = "unloop" }: ParsedRequest, { created }: Stamp, like: JsonObject): AnswerWriter {
  const head = { model, ...like, created_at: new Date(created * 1000).toISOString() };
  const end = { done: true, done_reason: "stop", ...noCounts };
  let message: JsonObject = nothing;
  const say = (more: JsonObject) => {
    message = { ...message, ...more };
    return [];
  };
  return {
    begin: () => [],
    // What declines says so in words: clients find no JSON there.
    text: (content) => say({ content }),
    call: (call) => say({ tool_calls: [callOf(call)] }),
    end: () => [
      { ...head, message, done: false },
      { ...head, message: nothing, ...end },
    ],
    whole: () => ({ ...head, message, ...end }),
  };
}

function callOf({ tool: { name }, args }: FinalCall): JsonObject {
  const given = jsonValue(args, requestWork());
  return { function: { name, arguments: isObject(given) ? given : {} } };
}

const answers: AnswersFormat<LineStream> = {
  framing: () => ndjson,
  notBegun,
  reading,
  resume: ({ words, counted }) => {
    return (line) => {
      const message = objectIn(line.message);
      const goesOn = newIn(message, words, message.tool_calls !== undefined || line.done === true);
      const told = counted(line);
      if (goesOn !== message) return [{ ...told, message: { ...nothing, ...goesOn } }];
      return told === line ? undefined : [told];
    };
  },
  finish: ({ head, usage, finished }) =>
    finished ? [] : [{ ...head, message: nothing, done: true, done_reason: "stop", ...usage }],
  usage: COUNTS,
  places: [["message", "content"]],
  writer,
  // The API tells no type and no code; ours stand beside what it tells.
  error: ({ code, status, message }) => ({ body: { error: message, type: errorType(status), code } }),
};

export const ollama: Protocol = {
  name: "ollama",
  path: "/api/chat",
  refusalStatus: 400,
  recognises,
  ...requestsOf([/(^|\/)api\/chat$/], requests),
  ...answersOf(answers),
  question(question, target) {
    const { body } = chatCompletions.question({ ...question, answer: undefined }, target);
    return { target, body: `${body.slice(0, -1)},"stream":false}` };
  },
};
