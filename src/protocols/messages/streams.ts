import type { ContinuedText } from "../answer/continued-text.ts";
import { sum } from "../answer/sum-usage.ts";
import type { StreamEvent } from "../framing.ts";
import { type JsonObject, objectIn, stringIn } from "../json/json.ts";
import type { ArgsCompletion } from "../protocol.ts";
import type { StreamContinuation, StreamFormat } from "../wire-format.ts";
import { eventOf, isThought, notBegun, type Progress, reading } from "./decoder.ts";

export const streams: StreamFormat<Progress> = { endMark: undefined, notBegun, reading, resume, finish };

/** Makes a second stream go on where the first was stopped: its blocks are counted on, and it begins no message of its own. */
function resume(
  first: Progress | undefined,
  used: Progress | undefined,
  words: ContinuedText,
): StreamContinuation<Progress> {
  const before = first ?? notBegun;
  const usageSoFar = used?.usage;
  const begun = before.head !== undefined;
  /** What the second stream has counted at its beginning. */
  let counted: JsonObject = {};
  /** Where each of its blocks goes. */
  const places = new Map<unknown, number>();
  let next = before.blocks;
  let open = before.open;
  /** Blocks of text that may turn out to say nothing new: then they are left out, since none may be empty. */
  const waiting = new Map<unknown, JsonObject>();

  function withUsage(event: JsonObject): JsonObject {
    const usage = { ...counted, ...objectIn(event.usage) };
    return { ...event, usage: usageSoFar === undefined ? usage : sum(usageSoFar, usage) };
  }

  function start(event: JsonObject): readonly StreamEvent[] {
    const message = objectIn(event.message);
    counted = objectIn(message.usage);
    return begun ? [] : [writtenEvent({ ...event, message: withUsage(message) })];
  }

  /** Two thoughts of two answers are no thought that the API would take back, so the first one's stays alone. */
  function place(event: JsonObject): readonly StreamEvent[] {
    const type = stringIn(objectIn(event.content_block).type) ?? "";
    if (before.thought && isThought(type)) return [];
    if (type === "text" && words.isWaiting() && !waiting.has(event.index)) {
      waiting.set(event.index, event);
      return said(event.index, words.add(stringIn(objectIn(event.content_block).text) ?? ""));
    }
    places.set(event.index, next);
    const closing = open === undefined ? [] : [eventOf({ type: "content_block_stop", index: open.index })];
    open = undefined;
    return [...closing, writtenEvent({ ...event, index: next++ })];
  }

  /** @param index of its block in the second stream */
  function said(index: unknown, text: string): readonly StreamEvent[] {
    if (text === "") return [];
    const begun = waiting.get(index);
    const start = begun === undefined ? [] : place({ ...begun, content_block: { type: "text", text: "" } });
    waiting.delete(index);
    const delta = { type: "text_delta", text };
    return [...start, eventOf({ type: "content_block_delta", index: places.get(index), delta })];
  }

  function encode(event: JsonObject): readonly StreamEvent[] | undefined {
    const delta = objectIn(event.delta);
    if (event.type === "content_block_delta" && delta.type === "text_delta" && words.isWaiting())
      return said(event.index, words.add(stringIn(delta.text) ?? ""));
    const rest = event.type === "content_block_stop" ? said(event.index, words.end()) : [];
    return rest.length === 0 ? passed(event) : [...rest, ...(passed(event) ?? [])];
  }

  function passed(event: JsonObject): readonly StreamEvent[] | undefined {
    switch (event.type) {
      case "message_start":
        return start(event);
      case "content_block_start":
        return place(event);
      case "content_block_delta":
      case "content_block_stop": {
        const index = places.get(event.index);
        return index === undefined ? [] : [writtenEvent({ ...event, index })];
      }
      case "message_delta":
        return [writtenEvent(withUsage(event))];
      default:
        return undefined;
    }
  }

  return { from: before, encode };
}

function writtenEvent(event: JsonObject): StreamEvent {
  return eventOf({ ...event, type: stringIn(event.type) ?? "" });
}

/** Closes the block that is open, and the message. None where it has not begun. */
function finish(
  { head, open, finished, usage }: Progress,
  rests: readonly ArgsCompletion[],
  acts = false,
): readonly StreamEvent[] {
  if (head === undefined) return [];
  const rest = rests.find(({ call }) => call === open?.index)?.text ?? "";
  const delta = { type: "input_json_delta", partial_json: rest };
  return [
    ...(open === undefined || rest === "" ? [] : [eventOf({ type: "content_block_delta", index: open.index, delta })]),
    ...(open === undefined ? [] : [eventOf({ type: "content_block_stop", index: open.index })]),
    ...(finished ? [] : [ending({ stop_reason: acts ? "tool_use" : "end_turn" }, Number(usage?.output_tokens) || 0)]),
    eventOf({ type: "message_stop" }),
  ];
}

export function ending(stop: JsonObject, outputTokens: number): StreamEvent {
  const delta = { stop_sequence: null, ...stop };
  return eventOf({ type: "message_delta", delta, usage: { output_tokens: outputTokens } });
}
