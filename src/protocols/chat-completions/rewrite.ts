import { arrayIn, insertion, type LocatedValue, nonEmpty, objectIn, placedElements } from "../json/json.ts";
import { historyOf } from "../dialects/dialects.ts";
import { noteSplices } from "../note-splices.ts";
import type { EditFormat } from "../wire-format.ts";
import { extended } from "./extend.ts";
import { finish } from "./finish.ts";
import { messagesOf } from "./messages.ts";
import { instruct, instructions } from "./preamble.ts";
import { callsOf, partOf } from "./wire.ts";

export const edits: EditFormat<undefined> = {
  instructions,
  instruct,
  note({ text, body, members }, notes) {
    const values = arrayIn(body.messages);
    const messages = placedElements(text, values, members.get("messages"));
    const { places, isPrompt } = historyOf(messagesOf(values));
    return noteSplices(notes, {
      messages,
      turns: places,
      isPrompt,
      isHeard: (message) => partOf(message) === "result" || partOf(message) === "user",
      bringsResult: (message, call) => resultIdOf(message) === call,
      extended: (message, texts) => extended(text, message, texts),
      inserted: ({ span }, turn, texts) =>
        splitsCallFromResult(messages, turn)
          ? []
          : [insertion(span.end, `,${JSON.stringify({ role: "user", content: texts.join("\n\n") })}`)],
    });
  },
  finish,
};

function resultIdOf(message: unknown): string | undefined {
  return partOf(message) === "result" ? nonEmpty(objectIn(message).tool_call_id) : undefined;
}

/** Whether a message right behind this turn would come between a call and its result, which the API refuses. */
function splitsCallFromResult(messages: readonly LocatedValue<unknown>[], turn: number): boolean {
  const open = new Map<string, number>();
  for (const { value } of messages.slice(0, turn + 1)) {
    for (const { id } of partOf(value) === "assistant" ? callsOf(objectIn(value)) : []) count(open, id, 1);
    if (partOf(value) === "result") count(open, objectIn(value).tool_call_id, -1);
  }
  const callsNow = callsOf(objectIn(messages[turn]?.value)).length > 0;
  return callsNow || messages.slice(turn + 1).some(({ value }) => answersOneOf(open, value));
}

function count(open: Map<string, number>, id: unknown, change: number): void {
  const key = nonEmpty(id) ?? "";
  open.set(key, Math.max(0, (open.get(key) ?? 0) + change));
}

function answersOneOf(open: ReadonlyMap<string, number>, message: unknown): boolean {
  if (partOf(message) !== "result") return false;
  return (open.get(nonEmpty(objectIn(message).tool_call_id) ?? "") ?? 0) > 0;
}
