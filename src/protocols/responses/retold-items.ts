import type { ContinuedText } from "../answer/continued-text.ts";
import { arrayIn, type JsonObject, objectIn, stringIn } from "../json/json.ts";
import type { TypedEvent } from "./decoder.ts";

/** The items of a second response as its reader gets them: without what stands there already, and without those that say nothing else. */
export interface RetoldItems {
  /** The events in the place of one about an item; its `output_index` is the second response's own. */
  retold(event: TypedEvent): readonly TypedEvent[];
  /** Its index among those that are told; undefined where it is not. */
  placeOf(index: number): number | undefined;
  /** The second response's output, as its reader gets it. */
  output(items: readonly unknown[]): readonly unknown[];
}

export function retoldItems(words: ContinuedText): RetoldItems {
  const waiting = new Map<number, TypedEvent[]>();
  const left = new Set<number>();
  const whole = new Map<number, JsonObject>();
  /** What was told of each text, by item and part. */
  const told = new Map<string, string>();

  const keyOf = (event: JsonObject, part = event.content_index): string => `${event.output_index} ${part ?? 0}`;

  function deltaOf(event: TypedEvent, text: string): readonly TypedEvent[] {
    if (text === "") return [];
    told.set(keyOf(event), (told.get(keyOf(event)) ?? "") + text);
    const { text: _, ...place } = event;
    return [{ ...place, type: "response.output_text.delta", delta: text }];
  }

  /** A part of a message; those that were not streamed stay as they are. */
  function partOf(event: TypedEvent, part: unknown, index?: number): unknown {
    const text = told.get(keyOf(event, index ?? event.content_index));
    return text === undefined ? part : { ...objectIn(part), text };
  }

  function edited(event: TypedEvent): readonly TypedEvent[] {
    switch (event.type) {
      case "response.output_text.delta":
        return deltaOf(event, words.add(stringIn(event.delta) ?? ""));
      case "response.output_text.done": {
        const isStreamed = told.has(keyOf(event)) || words.isWaiting();
        const rest = (isStreamed ? "" : words.add(stringIn(event.text) ?? "")) + words.end();
        const last = deltaOf(event, rest);
        return [...last, { ...event, text: told.get(keyOf(event)) ?? "" }];
      }
      case "response.content_part.done":
        return [{ ...event, part: partOf(event, event.part) }];
      case "response.output_item.done": {
        const item = objectIn(event.item);
        if (item.type !== "message") return [event];
        const content = arrayIn(item.content).map((part, index) => partOf(event, part, index));
        whole.set(Number(event.output_index), { ...item, content });
        return [{ ...event, item: { ...item, content } }];
      }
      default:
        return [event];
    }
  }

  return {
    retold(event) {
      const index = Number(event.output_index);
      const isMessage = event.type === "response.output_item.added" && objectIn(event.item).type === "message";
      if (isMessage && words.isWaiting()) waiting.set(index, []);
      const events = edited(event);
      const held = waiting.get(index);
      if (held === undefined) return events;
      if (words.isWaiting()) {
        held.push(...events);
        if (event.type !== "response.output_item.done") return [];
        left.add(index);
        waiting.delete(index);
        return [];
      }
      waiting.delete(index);
      return [...held, ...events];
    },
    placeOf: (index) => (left.has(index) ? undefined : index - [...left].filter((one) => one < index).length),
    output: (items) => items.flatMap((item, index) => (left.has(index) ? [] : [whole.get(index) ?? item])),
  };
}
