import {
  innerEnd,
  insertion,
  isObject,
  type JsonObject,
  type LocatedValue,
  membersOf,
  objectIn,
  parseJson,
  placedElements,
  rootSpan,
  type Span,
  type Splice,
  spliced,
} from "../json/json.ts";
import { historyOf } from "../dialects/dialects.ts";
import { groupedNotes } from "../grouped-notes.ts";
import type { Edit, ParsedRequest } from "../protocol.ts";
import { blocksOf, callIn, contentText, resultIn, roleOf } from "./blocks.ts";
import { type NeutralMessages, neutralMessages } from "./conversation.ts";
import { finishSplices } from "./finish.ts";
import { show } from "./request.ts";

type Note = Extract<Edit, { kind: "note" }>;

/** Carries the edits out on the text itself; what no edit touches stays byte for byte. */
export function rewriteRequest(request: ParsedRequest, edits: readonly Edit[]): string {
  const { text, previous } = show(request.wire);
  const body = edits.length === 0 ? undefined : parseJson(text);
  if (!isObject(body) || !Array.isArray(body.messages)) return text;
  const root = { value: body, span: rootSpan(text) };
  const members = membersOf(text, root.span);
  const messages = placedElements(text, body.messages, members.get("messages"));
  const preambles = edits.flatMap((edit) => (edit.kind === "preamble" ? [edit.text] : []));
  const notes = edits.filter((edit) => edit.kind === "note");
  const finish = edits.findLast((edit) => edit.kind === "finish");
  const splices = [
    ...preambleSplices(text, root, members, preambles),
    ...noteSplices(text, messages, notes, neutralMessages(body, previous)),
    ...(finish === undefined ? [] : finishSplices(text, body, members, finish.tool)),
  ];
  return spliced(text, splices, { start: 0, end: text.length });
}

/** A note stands behind the last result, in the message that carries it. */
function noteSplices(
  text: string,
  messages: readonly LocatedValue<unknown>[],
  notes: readonly Note[],
  { messages: neutral, at }: NeutralMessages,
): readonly Splice[] {
  const { places, isPrompt } = historyOf(neutral);
  const turns = places.map((place) => at[place] ?? -1);
  return groupedNotes(notes).flatMap(({ step, call, atEnd, texts }) => {
    const turn = isPrompt || atEnd ? -1 : turns[step];
    if (turn === undefined) return [];
    const next = turns.find((other, index) => index > step && other !== turn);
    const behind = isPrompt || atEnd ? messages : messages.slice(turn + 1, next);
    const own = call === undefined ? undefined : behind.find(({ value }) => bringsResult(value, call));
    const target = own ?? behind.findLast(({ value }) => roleOf(value) === "user");
    if (target !== undefined && isObject(target.value))
      return extended(text, { ...target, value: target.value }, texts);
    return mayBeFollowed(messages, turn) ? noteInsertion(messages[turn], texts) : [];
  });
}

function bringsResult(message: unknown, call: string): boolean {
  return blocksOf(objectIn(message).content).some((block) => resultIn(block)?.callId === call);
}

/** Not between a call and its result, which the API refuses, nor behind an answer that the model is to go on writing. */
function mayBeFollowed(messages: readonly LocatedValue<unknown>[], turn: number): boolean {
  if (turn < 0 || turn === messages.length - 1) return false;
  const calls = blocksOf(objectIn(messages[turn]?.value).content).flatMap((block) => callIn(block)?.id ?? []);
  const later = messages.slice(turn + 1).flatMap(({ value }) => blocksOf(objectIn(value).content));
  return !later.some((block) => calls.includes(resultIn(block)?.callId ?? ""));
}

function noteInsertion(turn: LocatedValue<unknown> | undefined, texts: readonly string[]): readonly Splice[] {
  if (turn === undefined) return [];
  const content = texts.map((text) => ({ type: "text", text }));
  return [insertion(turn.span.end, `,${JSON.stringify({ role: "user", content })}`)];
}

/** Behind the system prompt. Where the API keeps the history, it has kept that, too: only a thread's first request takes one. */
function preambleSplices(
  text: string,
  { value, span }: LocatedValue<JsonObject>,
  members: ReadonlyMap<string, Span>,
  texts: readonly string[],
): readonly Splice[] {
  if (objectIn(value.thread).previous_message_id !== undefined) return [];
  const said = contentText(value.system);
  const missing = [...new Set(texts)].filter((one) => one !== "" && !said.includes(one));
  if (missing.length === 0) return [];
  const place = members.get("system");
  if (place !== undefined && value.system !== null) return appended(text, value.system, place, missing);
  const system = JSON.stringify(missing.join("\n\n"));
  return [place === undefined ? insertion(innerEnd(text, span), `,"system":${system}`) : { ...place, text: system }];
}

/** The texts at the end of what a message says. None where its content is of no known kind. */
function extended(
  text: string,
  { value, span }: LocatedValue<JsonObject>,
  texts: readonly string[],
): readonly Splice[] {
  const content = membersOf(text, span).get("content");
  return content === undefined ? [] : appended(text, value.content, content, texts);
}

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
