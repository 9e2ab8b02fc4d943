import type { StreamEvent } from "../framing.ts";
import { arrayIn, isObject, type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamPart, Usage } from "../protocol.ts";
import type { StreamReading } from "../wire-format.ts";
import { doneItem, grown, type ItemProgress, newItem, textsOf } from "./item-progress.ts";
import { callOf, kindOf } from "./items.ts";
import { tokensUsed } from "../answer/tokens-used.ts";

/** An event as this API writes it, without the number that it gets where it is sent. */
export type TypedEvent = JsonObject & { readonly type: string };

/** How far a streamed response has come. */
export interface ResponseProgress {
  /** The response as its latest event told it whole; empty before the first. */
  readonly head: JsonObject;
  /** In the order of their indexes. */
  readonly items: readonly ItemProgress[];
  /** Of the latest event; -1 before the first. */
  readonly sequence: number;
  readonly finished: boolean;
}

export const notBegun: ResponseProgress = { head: {}, items: [], sequence: -1, finished: false };

/** The events that end a stream well; `failed` is no answer. */
const ENDS: ReadonlySet<string> = new Set(["response.completed", "response.incomplete"]);
const FAILURES: ReadonlySet<string> = new Set(["response.failed", "response.error", "error"]);

export function reading(from: ResponseProgress): StreamReading<ResponseProgress> {
  let at = from;
  const begunCalls = new Set<number>();
  /** The text that was told last: another one begins a line of its own. */
  let latest: string | undefined;

  function tell(kind: "text" | "reasoning" | "refusal", text: string, place: string): readonly StreamPart[] {
    if (text === "") return [];
    const apart = kind === "text" && latest !== undefined && latest !== place ? "\n" : "";
    if (kind === "text") latest = place;
    return [{ kind, text: apart + text }];
  }

  function begin({ index, item, input }: ItemProgress): readonly StreamPart[] {
    if (kindOf(item) !== "call" || begunCalls.has(index)) return [];
    begunCalls.add(index);
    const { id, tool } = callOf(item);
    return [{ kind: "call-start", call: index, id, tool }, ...argue(index, input)];
  }

  function keep(item: ItemProgress): void {
    const others = at.items.filter(({ index }) => index !== item.index);
    const items = [...others, item].sort((one, other) => one.index - other.index);
    at = { ...at, items };
  }

  function add(event: JsonObject): readonly StreamPart[] {
    const index = Number(event.output_index ?? 0);
    const item = newItem(index, objectIn(event.item));
    keep(item);
    if (kindOf(item.item) === "thought") return THOUGHT;
    // Some calls are announced with what they were made with, and streamed again: only one of the two is told.
    return begin({ ...item, input: "" });
  }

  function goOn(type: string, event: JsonObject): readonly StreamPart[] {
    if (typeof event.output_index !== "number") return [];
    const before = at.items.find(({ index }) => index === event.output_index) ?? newItem(event.output_index, {});
    const { after, text = "", part } = grown(before, type, event);
    if (after === before) return [];
    keep(after);
    if (part === undefined) return begunCalls.has(after.index) ? argue(after.index, text) : [];
    return tell(kindOfText(type), text, `${after.index} ${part.list} ${part.index}`);
  }

  /** What an item says that was not streamed is told at its end. */
  function done(index: number, item: JsonObject): readonly StreamPart[] {
    const before = at.items.find((one) => one.index === index) ?? newItem(index, {});
    const after = doneItem(before, item);
    keep(after);
    if (kindOf(item) === "said")
      return before.parts.some(({ text }) => text !== "")
        ? []
        : textsOf(item).flatMap((text, part) => tell("text", text, `${index} content ${part}`));
    if (kindOf(item) !== "call") return [];
    const wasBegun = begunCalls.has(index);
    const { outcome } = callOf(item);
    return [
      ...(wasBegun ? argue(index, before.input === "" ? after.input : "") : begin(after)),
      ...(outcome === undefined ? [] : [{ kind: "call-result" as const, call: index, outcome }]),
    ];
  }

  /** Some servers list items at the end that they have not streamed, and some list none of those that they have. */
  function end(type: string, response: JsonObject): readonly StreamPart[] {
    const items = arrayIn(response.output).filter(isObject);
    const late = items.flatMap((item, index) => {
      const existing = at.items.find((one) => one.index === index);
      return existing?.done === true ? [] : done(index, item);
    });
    at = { ...at, finished: true };
    const usage = usageOf(response.usage);
    const reason =
      type === "response.incomplete"
        ? (stringIn(objectIn(response.incomplete_details).reason) ?? "incomplete")
        : "completed";
    return [
      ...late,
      ...(usage === undefined ? [] : [{ kind: "usage" as const, usage }]),
      { kind: "finish", reason },
      { kind: "end" },
    ];
  }

  function whole(type: string, response: JsonObject): readonly StreamPart[] {
    const begun = at.head.id === undefined;
    at = { ...at, head: { ...at.head, ...response } };
    const start: readonly StreamPart[] = begun
      ? [{ kind: "start", id: nonEmpty(response.id), model: nonEmpty(response.model) }]
      : [];
    if (ENDS.has(type)) return [...start, ...end(type, response)];
    return FAILURES.has(type) ? [...start, { kind: "error" }] : start;
  }

  function partsOf(type: string, event: JsonObject): readonly StreamPart[] {
    if (typeof event.sequence_number === "number") at = { ...at, sequence: event.sequence_number };
    if (isObject(event.response)) return whole(type, event.response);
    if (FAILURES.has(type)) return [{ kind: "error" }];
    if (type === "response.output_item.added") return add(event);
    if (type === "response.output_item.done") return done(Number(event.output_index ?? 0), objectIn(event.item));
    return type === "keepalive" || type === "ping" ? [{ kind: "keepalive" }] : goOn(type, event);
  }

  return {
    take: (event, name) => partsOf(stringIn(event.type) ?? name ?? "", event),
    progress: () => at,
  };
}

const THOUGHT: readonly StreamPart[] = [{ kind: "thought" }];

function argue(call: number, text: string): readonly StreamPart[] {
  return text === "" ? [] : [{ kind: "call-args", call, text }];
}

function kindOfText(type: string): "text" | "reasoning" | "refusal" {
  if (type.startsWith("response.reasoning")) return "reasoning";
  return type.startsWith("response.refusal") ? "refusal" : "text";
}

/** @param number its place in the stream */
export function eventOf(event: TypedEvent, number: number): StreamEvent {
  return { event: event.type, data: jsonText({ ...event, sequence_number: number }) ?? "" };
}

/** Undefined if the value does not count any tokens. */
export function usageOf(value: unknown): Usage | undefined {
  const { input_tokens, output_tokens, input_tokens_details } = objectIn(value);
  return tokensUsed(input_tokens, output_tokens, input_tokens_details);
}
