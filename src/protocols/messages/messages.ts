import { addUsage } from "../answer/sum-usage.ts";
import { defineProtocol } from "../define-protocol.ts";
import { sse } from "../framing.ts";
import { streams } from "./streams.ts";
import { replies } from "./reply.ts";
import { requests } from "./request.ts";
import { edits } from "./rewrite.ts";
import {
  insertion,
  isObject,
  type JsonObject,
  jsonText,
  membersOf,
  nonEmpty,
  parseForReading,
  parseJson,
  rootSpan,
  spliced,
  stringIn,
} from "../json/json.ts";
import type { Answer, PreviousTurn } from "../protocol.ts";
import { blocksOf, callIn, resultIn, roleOf } from "./blocks.ts";
import { neutralMessages, stepOf } from "./conversation.ts";
import { usageOf } from "./decoder.ts";
import { historyOf, type Message } from "../dialects/dialects.ts";
import type { DeltaFormat, ThreadFormat } from "../wire-format.ts";
import { withoutCacheMarks } from "./cache-marks.ts";
import type { Call, Step } from "../../step.ts";

const threads: ThreadFormat<Message | undefined> = {
  always: false,
  behindTurn(_, { text, body, target }, { calls, text: words, standIn }, task, { reread }) {
    const addition = standIn === undefined ? { text, body, saysTurn: false } : substituteItemsFor(text, standIn);
    const previous: Message | undefined = addition.saysTurn ? undefined : { part: "assistant", text: words, calls };
    const request = reread({ text: addition.text, body: addition.body, target }, previous);
    const conversation = { ...request.conversation, opening: task === "" ? [] : [task] };
    return { ...request, conversation, continuing: undefined, standIn: undefined };
  },
  substituteItems,
};

/** A model reads it, never a person. */
const NOT_DONE = "[unloop] The run was stopped here: there is no result.";

/** What the upstream is to be told that has never heard of the answer that its client goes on from: messages, as JSON. */
function substituteItems(unanswered: readonly Call[], step: Step | undefined): string {
  const results = unanswered.flatMap(({ id }) =>
    id === undefined ? [] : [{ type: "tool_result", tool_use_id: id, content: NOT_DONE }],
  );
  const words = step === undefined || step.text === "" ? [] : [{ type: "text", text: step.text }];
  const calls = (step?.calls ?? []).map(({ id, tool, args }) => ({
    type: "tool_use",
    id,
    name: tool,
    input: parseJson(args) ?? {},
  }));
  const messages = [
    ...(results.length === 0 ? [] : [{ role: "user", content: results }]),
    ...(words.length + calls.length === 0 ? [] : [{ role: "assistant", content: [...words, ...calls] }]),
  ];
  return jsonText(messages) ?? "[]";
}

/** A request in terms of the upstream's own answer. `saysTurn`: what comes before the rest tells the turn that it goes on from. */
function substituteItemsFor(
  text: string,
  { answerId, items }: NonNullable<PreviousTurn["standIn"]>,
): { readonly text: string; readonly body: JsonObject; readonly saysTurn: boolean } {
  const substitutes = parseJson(items);
  const before = Array.isArray(substitutes) ? substitutes.filter(isObject) : [];
  const members = membersOf(text, rootSpan(text));
  const [thread, messages] = [members.get("thread"), members.get("messages")];
  const named = thread && membersOf(text, thread).get("previous_message_id");
  const changed = spliced(
    text,
    [
      ...(named === undefined ? [] : [{ ...named, text: JSON.stringify(answerId) }]),
      ...(messages === undefined || before.length === 0
        ? []
        : [insertion(messages.start + 1, `${items.slice(1, -1)},`)]),
    ],
    { start: 0, end: text.length },
  );
  const body = parseForReading(changed);
  const saysTurn = before.some(({ role }) => role === "assistant");
  return { text: changed, body: isObject(body) ? body : {}, saysTurn };
}

/** How a body goes on behind the messages that an earlier one of its run has carried already. */
const delta: DeltaFormat = {
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

/** The most that is said to a question of the guard's own: this format asks for a limit. */
const MAX_QUESTION_TOKENS = 1_024;

/** `POST /v1/messages`, Anthropic's, and the same on Vertex. */
export const messages = defineProtocol({
  name: "messages",
  path: "/v1/messages",
  // `count_tokens` and `batches` behind it pass; OpenAI's threads have messages of their own.
  // Vertex says in the path which model is asked and how it answers; a model that only counts tokens is none.
  endpoints: [
    /(^|\/)v1\/messages$/,
    /\/publishers\/anthropic\/models\/(?!count-tokens:)(?<model>[^/:]+):(?:rawPredict|(?<stream>streamRawPredict))$/i,
  ],
  // Claude Code sends again what is refused with 400 or 422, changed a little each time.
  refusalStatus: 402,
  framing: () => sse,
  requests,
  edits,
  delta,
  threads,
  answers: { read: readAnswer, addUsage },
  streams,
  replies,
  question: ({ model, system, text }, { model: said, streams: isStream }) => ({
    ...(said === undefined ? { model } : { anthropic_version: "vertex-2023-10-16", stream: isStream }),
    max_tokens: MAX_QUESTION_TOKENS,
    system,
    messages: [{ role: "user", content: text }],
  }),
});

/** A whole answer; undefined for an error or another shape. */
function readAnswer(message: JsonObject): Answer | undefined {
  if (roleOf(message) !== "assistant" || !Array.isArray(message.content)) return undefined;
  return {
    id: nonEmpty(message.id),
    step: stepOf(message),
    finishReason: stringIn(message.stop_reason),
    usage: usageOf(message.usage),
    model: nonEmpty(message.model),
  };
}
