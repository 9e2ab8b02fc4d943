import {
  arrayIn,
  innerEnd,
  insertion,
  type JsonObject,
  type LocatedValue,
  membersOf,
  nonEmpty,
  objectIn,
  placedElements,
  placedWithin,
  type Span,
  type Splice,
  spliced,
} from "../json/json.ts";
import { historyOf, type Message } from "../dialects/dialects.ts";
import { type EditFormat, type FinishFormat, type LocatedBody, memberSplice, type PlacedTool } from "../wire-format.ts";
import { noteSplices } from "../note-splices.ts";
import { blocksOf, callIn, contentText, resultIn, roleOf } from "./blocks.ts";
import { neutralMessages } from "./conversation.ts";
import { thinks } from "./request.ts";

const finish: FinishFormat = {
  offers,
  // Tools that the history refers to must be on offer, and while the model thinks none may be chosen: then the note's words must do.
  mayNarrow: ({ text, body }) => !thinks(body) && !text.includes('"tool_reference"'),
  // The API refuses a choice where nothing is offered.
  silence: (located) =>
    arrayIn(located.body.tools).length === 0 ? [] : [memberSplice(located, "tool_choice", '{"type":"none"}')],
  schemas: [
    ["output_config", "format", "schema"],
    ["output_format", "schema"],
  ],
};

function offers(located: LocatedBody): readonly PlacedTool[] {
  const { text, body, members } = located;
  return placedElements(text, arrayIn(body.tools), members.get("tools")).flatMap((tool): readonly PlacedTool[] => {
    const name = nonEmpty(objectIn(tool.value).name);
    if (name === undefined) return [];
    return [
      {
        name,
        schema: placedWithin(text, tool, ["input_schema"]),
        alone: (splices) => [
          memberSplice(located, "tools", `[${spliced(text, splices, tool.span)}]`),
          memberSplice(located, "tool_choice", JSON.stringify({ type: "tool", name })),
        ],
      },
    ];
  });
}

/** What it remembers of a request is the turn that it goes on from, where it does not carry that itself. */
export const edits: EditFormat<Message | undefined> = {
  instructions: ({ body }) => [contentText(body.system)],
  instruct,
  note({ text, body, members }, notes, previous) {
    const messages = placedElements(text, arrayIn(body.messages), members.get("messages"));
    const { messages: neutral, at } = neutralMessages(body, previous);
    const { places, isPrompt } = historyOf(neutral);
    return noteSplices(notes, {
      messages,
      turns: places.map((place) => at[place] ?? -1),
      isPrompt,
      isHeard: (message) => roleOf(message) === "user",
      bringsResult: (message, call) =>
        blocksOf(objectIn(message).content).some((block) => resultIn(block)?.callId === call),
      extended: (message, texts, call) => extended(text, message, texts, call),
      inserted: (message, turn, texts) => (mayBeFollowed(messages, turn) ? noteInsertion(message, texts) : []),
    });
  },
  finish,
};

/** Not between a call and its result, which the API refuses, nor behind an answer that the model is to go on writing. */
function mayBeFollowed(messages: readonly LocatedValue<unknown>[], turn: number): boolean {
  if (turn === messages.length - 1) return false;
  const calls = blocksOf(objectIn(messages[turn]?.value).content).flatMap((block) => callIn(block)?.id ?? []);
  const later = messages.slice(turn + 1).flatMap(({ value }) => blocksOf(objectIn(value).content));
  return !later.some((block) => calls.includes(resultIn(block)?.callId ?? ""));
}

function noteInsertion(turn: LocatedValue<unknown>, texts: readonly string[]): readonly Splice[] {
  const content = texts.map((text) => ({ type: "text", text }));
  return [insertion(turn.span.end, `,${JSON.stringify({ role: "user", content })}`)];
}

/** Behind the system prompt. Where the API keeps the history, it has kept that, too: only a thread's first request takes one. */
function instruct(located: LocatedBody, texts: readonly string[]): readonly Splice[] {
  const { text, body, members } = located;
  if (objectIn(body.thread).previous_message_id !== undefined) return [];
  const place = members.get("system");
  if (place !== undefined && body.system !== null) return appended(text, body.system, place, texts);
  return [memberSplice(located, "system", JSON.stringify(texts.join("\n\n")))];
}

/**
 * The texts at the end of this call's result, else of the message's last one: what they speak of stays what a tool said. Without a
 * result at the end of what the message says; none where its content is of no known kind.
 */
function extended(
  text: string,
  { value, span }: LocatedValue<JsonObject>,
  texts: readonly string[],
  call: string | undefined,
): readonly Splice[] {
  const place = membersOf(text, span).get("content");
  if (place === undefined) return [];
  const results = placedElements(text, arrayIn(value.content), place).filter((block) => takesText(block.value));
  const own = results.find((block) => resultIn(objectIn(block.value))?.callId === call) ?? results.at(-1);
  const ownPlace = own && membersOf(text, own.span).get("content");
  if (ownPlace === undefined) return appended(text, value.content, place, texts);
  return appended(text, objectIn(own?.value).content, ownPlace, texts);
}

/** Whether a block is a result beside which a text may stand: the API wants references to tools alone. */
function takesText(block: unknown): boolean {
  const { type, content } = objectIn(block);
  if (type !== "tool_result") return false;
  return (
    typeof content === "string" || (Array.isArray(content) && content.every((part) => TEXTS.has(objectIn(part).type)))
  );
}

/** Kinds of content beside which a result may have a text. */
const TEXTS: ReadonlySet<unknown> = new Set(["text", "image", "document"]);

/** To a text the texts are appended as paragraphs, to a list as blocks. */
function appended(text: string, content: unknown, { start, end }: Span, texts: readonly string[]): readonly Splice[] {
  if (typeof content === "string") {
    const more = texts.join("\n\n");
    return [insertion(end - 1, JSON.stringify(content === "" ? more : `\n\n${more}`).slice(1, -1))];
  }
  if (!Array.isArray(content)) return [];
  const blocks = texts.map((one) => JSON.stringify({ type: "text", text: one })).join(",");
  return [insertion(innerEnd(text, { start, end }), content.length === 0 ? blocks : `,${blocks}`)];
}
