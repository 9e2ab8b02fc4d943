import { arrayIn, insertion, isObject, objectIn, placedElements, type Splice } from "../json/json.ts";
import type { LocatedBody } from "../located-body.ts";
import { extended } from "./extend.ts";
import { contentText, partOf } from "./wire.ts";

/** What comes behind the first turn does not count, lest the same beginning be written in two ways. */
export function instructions({ body }: LocatedBody): readonly string[] {
  return openingInstructions(arrayIn(body.messages)).map((message) => contentText(objectIn(message).content));
}

function openingInstructions(messages: readonly unknown[]): readonly unknown[] {
  const turn = messages.findIndex((message) => partOf(message) === "assistant");
  const opening = turn === -1 ? messages : messages.slice(0, turn);
  return opening.filter((message) => partOf(message) === "instruction");
}

/** Appends to the last of the instructions that a conversation begins with, or as an instruction of their own. */
export function instruct({ text, body, members }: LocatedBody, texts: readonly string[]): readonly Splice[] {
  const array = members.get("messages");
  const messages = placedElements(text, arrayIn(body.messages), array);
  if (array === undefined) return [];
  const begun = messages.findIndex(({ value }) => partOf(value) !== "instruction");
  const last = messages[(begun === -1 ? messages.length : begun) - 1];
  if (last !== undefined && isObject(last.value)) return extended(text, { ...last, value: last.value }, texts);
  const isDeveloper = openingInstructions(arrayIn(body.messages)).some((one) => objectIn(one).role === "developer");
  const role = isDeveloper ? "developer" : "system";
  const message = JSON.stringify({ role, content: texts.join("\n\n") });
  const [first] = messages;
  return [first === undefined ? insertion(array.start + 1, message) : insertion(first.span.start, `${message},`)];
}
