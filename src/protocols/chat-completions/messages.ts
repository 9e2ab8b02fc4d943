import type { Step } from "../../step.ts";
import { type Message, promptStep as stepIn } from "../dialects/dialects.ts";
import { isObject, type JsonObject, nonEmpty, stringIn } from "../json/json.ts";
import { callsOf, contentText, partOf, textOf } from "./wire.ts";

/** The messages of a history in neutral form; undefined for a message of an unknown role. */
export function messagesOf(messages: readonly unknown[]): readonly (Message | undefined)[] {
  return messages.map(messageOf);
}

function messageOf(message: unknown): Message | undefined {
  const part = partOf(message);
  if (part === undefined || !isObject(message)) return undefined;
  switch (part) {
    case "assistant":
      return { part, text: textOf(message), calls: callsOf(message) };
    case "result": {
      const id = nonEmpty(message.tool_call_id);
      return { part, text: contentText(message.content), id, tool: stringIn(message.name) };
    }
    default:
      return { part, text: contentText(message.content) };
  }
}

/** The step of an answer's message. */
export function stepOf(message: JsonObject): Step {
  return stepIn(textOf(message), callsOf(message));
}
