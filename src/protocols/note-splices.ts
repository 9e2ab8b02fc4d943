import { isObject, type JsonObject, type LocatedValue, type Splice } from "./json/json.ts";
import type { Note } from "./wire-format.ts";
import type { Edit } from "./protocol.ts";

/** A list of messages in which notes stand behind results and what users said. */
export interface NotedMessages {
  readonly messages: readonly LocatedValue<unknown>[];
  /** For each step the index of its message; -1 where none of them tells it. */
  readonly turns: readonly number[];
  /** All steps are told in a prompt. */
  readonly isPrompt: boolean;
  /** The message brings a result, or a user said it. */
  isHeard(message: unknown): boolean;
  bringsResult(message: unknown, call: string): boolean;
  /** The texts at the end of what a message says, or of the result of this call in it. */
  extended(message: LocatedValue<JsonObject>, texts: readonly string[], call: string | undefined): readonly Splice[];
  /** The texts as a message of their own behind a turn that nothing follows; none where the API refuses that. */
  inserted(message: LocatedValue<unknown>, turn: number, texts: readonly string[]): readonly Splice[];
}

/** A note stands behind the result that it is about, or at the end of what came back for its step. */
export function noteSplices(notes: readonly Note[], noted: NotedMessages): readonly Splice[] {
  const { messages, turns, isPrompt } = noted;
  return groupedNotes(notes).flatMap(({ step, call, atEnd, texts }) => {
    const turn = isPrompt || atEnd ? -1 : turns[step];
    if (turn === undefined) return [];
    const next = turns.find((other, index) => index > step && other !== turns[step]);
    const behind = isPrompt || atEnd ? messages : messages.slice(turn + 1, next);
    const own = call === undefined ? undefined : behind.find(({ value }) => noted.bringsResult(value, call));
    const target = own ?? behind.findLast(({ value }) => noted.isHeard(value));
    if (target !== undefined && isObject(target.value)) {
      return noted.extended({ value: target.value, span: target.span }, texts, call);
    }
    const turnMessage = messages[turn];
    return turnMessage === undefined ? [] : noted.inserted(turnMessage, turn, texts);
  });
}

/** All notes that stand in one place, in order. */
export interface NotesAt {
  readonly step: number;
  /** The call behind whose result they stand, where the step's message tells other steps, too. */
  readonly call: string | undefined;
  /** They stand in the last message. */
  readonly atEnd: boolean;
  readonly texts: readonly string[];
}

export function groupedNotes(notes: readonly Extract<Edit, { kind: "note" }>[]): readonly NotesAt[] {
  const places = new Map<string, NotesAt & { readonly texts: string[] }>();
  for (const { step, call, atEnd = false, text } of notes) {
    const place = `${step}\u0000${call ?? ""}\u0000${atEnd}`;
    const group = places.get(place);
    if (group === undefined) places.set(place, { step, call, atEnd, texts: [text] });
    else group.texts.push(text);
  }
  return [...places.values()];
}
