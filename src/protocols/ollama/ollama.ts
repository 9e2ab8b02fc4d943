import { requestWork } from "../../work.ts";
import { requestsOf, type RequestFormat } from "../requests.ts";
import { chatCompletions, chunkReading, isChatRequest, newIn, chat } from "../chat-completions/chat-completions.ts";
import { type AnswersFormat, answersOf, errorType, type EventReading } from "../answers.ts";
import { type EditFormat, placedTools, silenced } from "../edits.ts";
import { arrayIn, isObject, type Json, type JsonObject, jsonValue, objectIn, stringIn } from "../json/json.ts";
import { ndjson } from "../framing.ts";
import type { NeutralHistory, Protocol } from "../protocol.ts";

/** No tool can be chosen: what is not to be called is not offered. */
const edits: EditFormat = {
  ...chat.edits,
  offers: (body) =>
    placedTools(body, "tools", (tool) => ({ name: objectIn(tool.function).name, schema: ["function", "parameters"] })),
  silence: (body) => silenced(body, "tools", "tools", "[]"),
  schemas: [["format"]],
};

const requests: RequestFormat = {
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

function recognises(body: Json): boolean {
  if (!isChatRequest(body) || !isObject(body)) return false;
  const messages = arrayIn(body.messages).map(objectIn);
  const calls = messages.flatMap(({ tool_calls }) => arrayIn(tool_calls));
  const hasAny = (one: JsonObject, names: readonly string[]) => names.some((name) => one[name] !== undefined);
  if (hasAny(body, OWN_MEMBERS) || messages.some((one) => hasAny(one, OWN_IN_MESSAGES))) return true;
  return calls.some((call) => isObject(objectIn(objectIn(call).function).arguments));
}

type LineStream = { readonly head: JsonObject };

const COUNTS = [
  ...(["total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration"] as const),
  ...(["eval_count", "eval_duration"] as const),
] as const;

function reading({ head: before }: LineStream): EventReading<LineStream> {
  const chunks = chunkReading();
  let head = before;
  let calls = 0;
  return {
    take(line) {
      const { model, created_at, error, message, done } = line;
      const { content, thinking: reasoning, tool_calls } = objectIn(message);
      const called = arrayIn(tool_calls).map((call) => {
        const { id, function: what } = objectIn(call);
        return { id, function: what, index: calls++ };
      });
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
const ended = (head: JsonObject, counts: JsonObject) => {
  return { ...head, message: nothing, done: true, done_reason: "stop", ...counts };
};
const noCounts = Object.fromEntries(COUNTS.map((name) => [name, 0]));

const writer: AnswersFormat<LineStream>["writer"] = ({ model = "unloop" }, { created }, like) => {
  const head = { model, ...like, created_at: new Date(created * 1000).toISOString() };
  let message: JsonObject = nothing;
  const say = (more: JsonObject) => {
    message = { ...message, ...more };
    return [];
  };
  return {
    begin: () => [],
    // What declines says so in words: clients find no JSON there.
    text: (content) => say({ content }),
    call: ({ tool: { name }, args }) =>
      say({ tool_calls: [{ function: { name, arguments: objectIn(jsonValue(args, requestWork())) } }] }),
    end: () => [{ ...head, message, done: false }, ended(head, noCounts)],
    whole: () => ({ ...ended(head, noCounts), message }),
  };
};

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
  finish: ({ head }, { usage = {}, finished }) => (finished ? [] : [ended(head, usage)]),
  usage: COUNTS,
  tokens: { input: ["prompt_eval_count"], output: ["eval_count"] },
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
