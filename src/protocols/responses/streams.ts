import type { ContinuedText } from "../answer/continued-text.ts";
import { sum } from "../answer/sum-usage.ts";
import type { StreamEvent } from "../framing.ts";
import { arrayIn, isObject, type JsonObject, stringIn } from "../json/json.ts";
import type { ArgsCompletion } from "../protocol.ts";
import type { StreamContinuation, StreamFormat } from "../wire-format.ts";
import { eventOf, notBegun, reading, type ResponseProgress, type TypedEvent } from "./decoder.ts";
import { inputStreamOf, type ItemProgress, type PartProgress, wholeItem, wholePart } from "./item-progress.ts";
import { retoldItems } from "./retold-items.ts";

export const streams: StreamFormat<ResponseProgress> = {
  endMark: "[DONE]",
  notBegun,
  reading,
  resume,
  finish,
};

const BEGINNINGS: ReadonlySet<string> = new Set(["response.created", "response.in_progress", "response.queued"]);

/** Makes a second stream go on where the first was stopped: items and events are counted on, and its response is the first one's. */
function resume(
  first: ResponseProgress | undefined,
  used: ResponseProgress | undefined,
  words: ContinuedText,
): StreamContinuation<ResponseProgress> {
  const before = first ?? notBegun;
  const begun = before.head.id !== undefined;
  const usageSoFar = used?.head.usage;
  const items = retoldItems(words);
  const offset = (before.items.at(-1)?.index ?? -1) + 1;
  let number = before.sequence;
  let closed = !before.items.some(({ done }) => !done);

  const numbered = (event: TypedEvent): StreamEvent => {
    number += 1;
    return eventOf(event, number);
  };

  /** An item that was under way is not gone on with: it ends before the next one begins. */
  function closing(): readonly StreamEvent[] {
    if (closed) return [];
    closed = true;
    return before.items.flatMap((item) => itemEnd(item, "")).map(numbered);
  }

  function wholeResponse(response: JsonObject): JsonObject {
    const { id, created_at } = before.head;
    const usage = isObject(response.usage) && isObject(usageSoFar) ? sum(usageSoFar, response.usage) : response.usage;
    const output = items.output(arrayIn(response.output));
    const own = begun ? { id, created_at, output: [...before.items.map(wholeItem), ...output] } : {};
    return { ...response, ...own, ...(usage === undefined ? {} : { usage }) };
  }

  function encodeTold(event: JsonObject, type: string): readonly StreamEvent[] {
    if (begun && BEGINNINGS.has(type)) return [];
    if (typeof event.output_index === "number") return items.retold({ ...event, type }).flatMap(encodeItem);
    const response = isObject(event.response) ? { response: wholeResponse(event.response) } : {};
    return [...(begun && isObject(event.response) ? closing() : []), numbered({ ...event, ...response, type })];
  }

  function encodeItem(event: TypedEvent): readonly StreamEvent[] {
    const place = items.placeOf(Number(event.output_index)) ?? 0;
    return [...(begun ? closing() : []), numbered({ ...event, output_index: place + offset })];
  }

  return { from: before, encode: (event, name) => encodeTold(event, stringIn(event.type) ?? name ?? "") };
}

/** Ends a response as it stands: open items are closed, and all that came is listed. None where it has not begun. */
function finish(at: ResponseProgress, rests: readonly ArgsCompletion[]): readonly StreamEvent[] {
  if (at.head.id === undefined || at.finished) return [];
  const events = [
    ...at.items.flatMap((item) => itemEnd(item, restOf(item, rests))),
    { type: "response.completed", response: completed(at, rests) },
  ];
  return events.map((event, index) => eventOf(event, at.sequence + 1 + index));
}

function completed({ head, items }: ResponseProgress, rests: readonly ArgsCompletion[]): JsonObject {
  const output = items.map((item) => wholeItem({ ...item, input: item.input + restOf(item, rests) }));
  return { ...head, status: "completed", output };
}

function restOf({ index, done, item }: ItemProgress, rests: readonly ArgsCompletion[]): string {
  if (done || inputStreamOf(item)?.member !== "arguments") return "";
  return rests.find(({ call }) => call === index)?.text ?? "";
}

/** @param rest what its arguments lack */
function itemEnd(before: ItemProgress, rest: string): readonly TypedEvent[] {
  if (before.done) return [];
  const progress = { ...before, input: before.input + rest };
  const { index, item, parts, input } = progress;
  const place = { item_id: item.id, output_index: index };
  const stream = inputStreamOf(item);
  const delta = rest === "" ? [] : [{ type: `${stream?.stem}.delta`, ...place, delta: rest }];
  return [
    ...parts.filter(({ done }) => !done).flatMap((part) => partEnd(part, place)),
    ...delta,
    ...(stream === undefined ? [] : [{ type: `${stream.stem}.done`, ...place, [stream.member]: input }]),
    { type: "response.output_item.done", output_index: index, item: wholeItem(progress) },
  ];
}

function partEnd(open: PartProgress, place: JsonObject): readonly TypedEvent[] {
  const { list, index, part, text } = open;
  const at = { ...place, [`${list}_index`]: index };
  const isSummary = list === "summary";
  const closingEvents =
    part.type === "refusal"
      ? { type: "response.refusal.done", ...at, refusal: text }
      : { type: `response.${isSummary ? "reasoning_summary_text" : String(part.type)}.done`, ...at, text };
  return [
    closingEvents,
    { type: `response.${isSummary ? "reasoning_summary" : "content"}_part.done`, ...at, part: wholePart(open) },
  ];
}
