import type { Call, Step } from "../../step.ts";
import type { Message } from "../dialects/dialects.ts";
import {
  insertion,
  isObject,
  type JsonObject,
  jsonText,
  membersOf,
  parseForReading,
  parseJson,
  rootSpan,
  spliced,
} from "../json/json.ts";
import type { PreviousTurn } from "../protocol.ts";
import type { ThreadFormat } from "../wire-format.ts";

export const threads: ThreadFormat<Message | undefined> = {
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
