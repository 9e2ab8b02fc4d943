import { requestWork } from "../../work.ts";
import { recognises, requests } from "./request.ts";
import { requestsOf } from "../requests.ts";
import { chatCompletions, chunkReading, newIn, notBegun } from "../chat-completions/chat-completions.ts";
import { type AnswersFormat, answersOf, errorType, type EventReading } from "../answers.ts";
import type { FinalCall } from "../final-message.ts";
import { arrayIn, isObject, type JsonObject, jsonValue, objectIn, stringIn } from "../json/json.ts";
import { ndjson } from "../framing.ts";
import type { Protocol } from "../protocol.ts";

type LineStream = { readonly head: JsonObject };

const COUNTS = [
  ...(["total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration"] as const),
  ...(["eval_count", "eval_duration"] as const),
] as const;

/** A line is read as a chunk of chat completions, whose calls come whole. */
function reading({ head: before }: LineStream): EventReading<LineStream> {
  const chunks = chunkReading(notBegun);
  let head = before;
  let calls = 0;
  return {
    take(line) {
      const { model, created_at, error, message, done } = line;
      const { content, thinking: reasoning, tool_calls } = objectIn(message);
      const called = arrayIn(tool_calls).map((call) => ({ ...objectIn(call), index: calls++ }));
      const finish_reason = done === true ? (stringIn(line.done_reason) ?? "stop") : null;
      const choice = { delta: { content, reasoning, tool_calls: called }, finish_reason };
      const parts = chunks.take({ model, error, choices: isObject(message) || done === true ? [choice] : [] });
      head = { model, created_at };
      return done === true ? [...parts, { kind: "end" }] : parts;
    },
    progress: () => ({ head }),
  };
}

const nothing = { role: "assistant", content: "" };
const noCounts = Object.fromEntries(COUNTS.map((name) => [name, 0]));

const writer: AnswersFormat<LineStream>["writer"] = ({ model = "unloop" }, { created }, like) => {
  const head = { model, ...like.head, created_at: new Date(created * 1000).toISOString() };
  const end = { done: true, done_reason: "stop", ...noCounts, ...like.usage };
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
};

function callOf({ tool: { name }, args }: FinalCall): JsonObject {
  const given = jsonValue(args, requestWork());
  return { function: { name, arguments: isObject(given) ? given : {} } };
}

const answers: AnswersFormat<LineStream> = {
  framing: () => ndjson,
  notBegun: { head: {} },
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
  finish: ({ head }, { usage, finished }) =>
    finished ? [] : [{ ...head, message: nothing, done: true, done_reason: "stop", ...usage }],
  usage: COUNTS,
  tokens: { input: ["prompt_eval_count"], output: ["eval_count"] },
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
