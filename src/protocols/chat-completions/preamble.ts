import { insertion, isObject, type LocatedValue, type Span, type Splice } from "../json/json.ts";
import { extended } from "./extend.ts";
import { contentText, partOf } from "./wire.ts";

/**
 * Appends the texts to the system prompt: to the last of the instructions that a conversation begins with, or as an
 * instruction of their own. A text that the client's own instructions already hold is not said again.
 */
export function preambleSplices(
  body: string,
  messages: readonly LocatedValue<unknown>[],
  array: Span | undefined,
  texts: readonly string[],
): readonly Splice[] {
  // What comes behind the first turn does not count, lest the same beginning be written in two ways.
  const turn = messages.findIndex(({ value }) => partOf(value) === "assistant");
  const opening = turn === -1 ? messages : messages.slice(0, turn);
  const instructions = opening.map(({ value }) => value).filter((value) => partOf(value) === "instruction");
  const said = instructions.map((message) => (isObject(message) ? contentText(message.content) : ""));
  const missing = [...new Set(texts)].filter((text) => text !== "" && !said.some((prompt) => prompt.includes(text)));
  if (missing.length === 0 || array === undefined) return [];
  const begun = messages.findIndex(({ value }) => partOf(value) !== "instruction");
  const last = messages[(begun === -1 ? messages.length : begun) - 1];
  if (last !== undefined && isObject(last.value)) {
    return extended(body, { value: last.value, span: last.span }, missing);
  }
  const isDeveloper = instructions.some((message) => isObject(message) && message.role === "developer");
  const role = isDeveloper ? "developer" : "system";
  const message = JSON.stringify({ role, content: missing.join("\n\n") });
  const [first] = messages;
  return [first === undefined ? insertion(array.start + 1, message) : insertion(first.span.start, `${message},`)];
}
