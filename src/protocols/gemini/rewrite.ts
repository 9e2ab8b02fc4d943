import { historyOf } from "../dialects/dialects.ts";
import {
  innerEnd,
  insertion,
  isObject,
  type JsonObject,
  type LocatedValue,
  membersOf,
  placedWithin,
  type Splice,
} from "../json/json.ts";
import { memberSplice } from "../located-body.ts";
import { noteSplices } from "../note-splices.ts";
import type { EditFormat } from "../wire-format.ts";
import { instructionText, neutralContents } from "./conversation.ts";
import { elementsAt, finish } from "./finish.ts";
import { spelled } from "./names.ts";
import { functionResultIn, isModels, partsOf } from "./parts.ts";
import { isCached } from "./tools.ts";

export const edits: EditFormat<undefined> = {
  instructions: ({ body }) => [instructionText(body)],
  instruct(located, texts) {
    const { text, body, members } = located;
    if (isCached(body)) return [];
    const key = spelled(body, "systemInstruction");
    const [value, span] = [body[key], members.get(key)];
    if (isObject(value) && span !== undefined) return withParts(text, { value, span }, texts);
    const said = typeof value === "string" ? [value, ...texts] : texts;
    return [memberSplice(located, key, JSON.stringify({ parts: said.map((one) => ({ text: one })) }))];
  },
  note({ text, body, members }, notes) {
    const { messages, at } = neutralContents(body);
    const { places, isPrompt } = historyOf(messages);
    return noteSplices(notes, {
      messages: elementsAt(text, body.contents, members.get("contents")),
      turns: places.map((place) => at[place] ?? -1),
      isPrompt,
      isHeard: (content) => isObject(content) && !isModels(content),
      bringsResult: (content, call) => partsOf(content).some((part) => functionResultIn(part)?.id === call),
      extended: (content, texts) => extended(text, content, texts),
      // What follows a turn is what was heard, or else it is the end, behind which the model is to go on.
      inserted: () => [],
    });
  },
  finish,
};

/** At the end of what the last function gave back; behind words as words of their own. */
function extended(text: string, content: LocatedValue<JsonObject>, texts: readonly string[]): readonly Splice[] {
  const parts = elementsAt(text, content.value.parts, membersOf(text, content.span).get("parts"));
  const last = parts.at(-1);
  if (last !== undefined && isObject(last.value)) {
    const response = placedWithin(text, last, [spelled(last.value, "functionResponse"), "response"]);
    if (isObject(response?.value))
      return [withinResponse(text, { value: response.value, span: response.span }, texts.join("\n\n"))];
  }
  // Two notes may go to one content, and neither knows of a list that the other makes.
  return isObject(content.value.parts) ? [] : withParts(text, content, texts);
}

/**
 * In a response, where the model reads it: that is under `output` or `error` where there is one of these, else all of it. A part
 * of its own behind the response would begin another turn, by which the API judges what has to be signed.
 */
function withinResponse(text: string, response: LocatedValue<JsonObject>, words: string): Splice {
  const names = Object.keys(response.value);
  const telling = names.find((name) => name === "output" || name === "error") ?? (names.length === 1 ? names[0] : "");
  const inner = placedWithin(text, response, [telling ?? ""]);
  if (typeof inner?.value === "string") {
    const more = inner.value === "" ? words : `\n\n${words}`;
    return insertion(inner.span.end - 1, JSON.stringify(more).slice(1, -1));
  }
  const { value, span } = isObject(inner?.value) ? { ...inner, value: inner.value } : response;
  const comma = Object.keys(value).length === 0 ? "" : ",";
  const name = "note" in value ? "unloop" : "note";
  return insertion(innerEnd(text, span), `${comma}"${name}":${JSON.stringify(words)}`);
}

/** A content with these texts as parts behind its own. */
function withParts(text: string, content: LocatedValue<JsonObject>, texts: readonly string[]): readonly Splice[] {
  const added = texts.map((one) => JSON.stringify({ text: one })).join(",");
  const members = membersOf(text, content.span);
  const span = members.get("parts");
  if (span === undefined)
    return [insertion(innerEnd(text, content.span), `${members.size === 0 ? "" : ","}"parts":[${added}]`)];
  const { parts } = content.value;
  if (isObject(parts)) return [insertion(span.start, "["), insertion(span.end, `,${added}]`)];
  return Array.isArray(parts) ? [insertion(innerEnd(text, span), `${parts.length === 0 ? "" : ","}${added}`)] : [];
}
