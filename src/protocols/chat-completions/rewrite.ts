import {
  insertion,
  isObject,
  type LocatedValue,
  membersOf,
  nonEmpty,
  objectIn,
  parseJson,
  placedElements,
  rootSpan,
  type Splice,
  spliced,
} from "../json/json.ts";
import { extended } from "./extend.ts";
import { historyOf } from "../dialects/dialects.ts";
import { groupedNotes } from "../grouped-notes.ts";
import type { Edit, ParsedRequest } from "../protocol.ts";
import { finishSplices } from "./finish.ts";
import { messagesOf } from "./messages.ts";
import { preambleSplices } from "./preamble.ts";
import { show } from "./request.ts";
import { callsOf, partOf } from "./wire.ts";

type Notes = Extract<Edit, { kind: "note" }>;

/** Carries the edits out on the text itself; what no edit touches stays byte for byte. */
export function rewriteRequest({ wire }: ParsedRequest, edits: readonly Edit[]): string {
  const { text: body } = show(wire);
  const value = edits.length === 0 ? undefined : parseJson(body);
  if (!isObject(value) || !Array.isArray(value.messages)) return body;
  const root = rootSpan(body);
  const members = membersOf(body, root);
  const array = members.get("messages");
  const messages = placedElements(body, value.messages, array);
  const preambles = edits.flatMap((edit) => (edit.kind === "preamble" ? [edit.text] : []));
  const notes = edits.filter((edit) => edit.kind === "note");
  const finish = edits.findLast((edit) => edit.kind === "finish");
  const splices = [
    ...preambleSplices(body, messages, array, preambles),
    ...noteSplices(body, messages, notes),
    ...(finish === undefined ? [] : finishSplices(body, value, members, finish.tool)),
  ];
  return spliced(body, splices, { start: 0, end: body.length });
}

function noteSplices(
  body: string,
  messages: readonly LocatedValue<unknown>[],
  notes: readonly Notes[],
): readonly Splice[] {
  const { places, isPrompt } = historyOf(messagesOf(messages.map(({ value }) => value)));
  return groupedNotes(notes).flatMap(({ step, call, atEnd, texts }) => {
    const turn = atEnd ? -1 : places[step];
    if (turn === undefined) return [];
    const answers = isPrompt || atEnd ? messages : messages.slice(turn + 1, nextPlace(places, step));
    const own = call === undefined ? undefined : answers.find(({ value }) => resultIdOf(value) === call);
    const target = own ?? answers.findLast(({ value }) => partOf(value) === "result" || partOf(value) === "user");
    if (target !== undefined && isObject(target.value)) {
      return extended(body, { value: target.value, span: target.span }, texts);
    }
    return splitsCallFromResult(messages, turn) ? [] : inserted(messages[turn], texts);
  });
}

function resultIdOf(message: unknown): string | undefined {
  return partOf(message) === "result" ? nonEmpty(objectIn(message).tool_call_id) : undefined;
}

/** Where the first later step stands that is told in another message. */
function nextPlace(places: readonly number[], step: number): number | undefined {
  return places.find((place, index) => index > step && place !== places[step]);
}

function inserted(turn: LocatedValue<unknown> | undefined, texts: readonly string[]): readonly Splice[] {
  if (turn === undefined) return [];
  return [insertion(turn.span.end, `,${JSON.stringify({ role: "user", content: texts.join("\n\n") })}`)];
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
