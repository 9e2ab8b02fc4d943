import type { SseEvent } from "../../sse.ts";
import { sum } from "../answer/sum-usage.ts";
import { isObject, type JsonObject, objectIn, parseJson, stringIn } from "../json/json.ts";
import type { CallRest, StreamEncoder, StreamState } from "../protocol.ts";
import { decoder, eventOf, isThought, notBegun, progress } from "./decoder.ts";

/** Makes a second stream go on where the first was stopped: its blocks are counted on, and it begins no message of its own. */
export function resume(shown: StreamState | undefined, used: StreamState | undefined): StreamEncoder {
  const before = shown === undefined ? notBegun : progress.show(shown);
  const spent = used === undefined ? undefined : progress.show(used).usage;
  const decoding = decoder(before);
  const begun = before.head !== undefined;
  /** What the second stream has counted at its beginning. */
  let counted: JsonObject = {};
  /** Where each of its blocks goes. */
  const places = new Map<unknown, number>();
  let next = before.blocks;
  let open = before.open;

  function withUsage(told: JsonObject): JsonObject {
    const usage = { ...counted, ...objectIn(told.usage) };
    return { ...told, usage: spent === undefined ? usage : sum(spent, usage) };
  }

  function start(told: JsonObject): readonly SseEvent[] {
    const message = objectIn(told.message);
    counted = objectIn(message.usage);
    return begun ? [] : [written({ ...told, message: withUsage(message) })];
  }

  /** Two thoughts of two answers are no thought that the API would take back, so the first one's stays alone. */
  function place(told: JsonObject): readonly SseEvent[] {
    const type = stringIn(objectIn(told.content_block).type) ?? "";
    if (before.thought && isThought(type)) return [];
    places.set(told.index, next);
    const closing = open === undefined ? [] : [eventOf({ type: "content_block_stop", index: open.index })];
    open = undefined;
    return [...closing, written({ ...told, index: next++ })];
  }

  function encodeTold(told: JsonObject): readonly SseEvent[] | undefined {
    switch (told.type) {
      case "message_start":
        return start(told);
      case "content_block_start":
        return place(told);
      case "content_block_delta":
      case "content_block_stop": {
        const index = places.get(told.index);
        return index === undefined ? [] : [written({ ...told, index })];
      }
      case "message_delta":
        return [written(withUsage(told))];
      default:
        return undefined;
    }
  }

  return {
    encode({ data }) {
      const told = parseJson(data);
      return isObject(told) ? encodeTold(told) : undefined;
    },
    decode: decoding.decode,
    state: decoding.state,
  };
}

function written(told: JsonObject): SseEvent {
  return eventOf({ ...told, type: stringIn(told.type) ?? "" });
}

/** Closes the block that is open, and the message. None where it has not begun. */
export function finish(state: StreamState, rests: readonly CallRest[]): readonly SseEvent[] {
  const { head, open, finished, usage } = progress.show(state);
  if (head === undefined) return [];
  const rest = rests.find(({ call }) => call === open?.index)?.text ?? "";
  const delta = { type: "input_json_delta", partial_json: rest };
  return [
    ...(open === undefined || rest === "" ? [] : [eventOf({ type: "content_block_delta", index: open.index, delta })]),
    ...(open === undefined ? [] : [eventOf({ type: "content_block_stop", index: open.index })]),
    ...(finished ? [] : [ending({ stop_reason: "end_turn" }, Number(usage?.output_tokens) || 0)]),
    eventOf({ type: "message_stop" }),
  ];
}

export function ending(stop: JsonObject, outputTokens: number): SseEvent {
  const delta = { stop_sequence: null, ...stop };
  return eventOf({ type: "message_delta", delta, usage: { output_tokens: outputTokens } });
}
