import { tokensUsed, type EventReading, type Progress } from "../answers.ts";
import { arrayIn, isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamPart } from "../protocol.ts";
import { callOf, isHosted, kindOf } from "./items.ts";

/** An output item as far as it has been streamed. Immutable. */
export interface ItemProgress {
  readonly index: number;
  /** As it was announced, or as it was when it was done. */
  readonly item: JsonObject;
  readonly done: boolean;
  /** What a call was made with so far. */
  readonly input: string;
  readonly parts: readonly PartProgress[];
}

/** One part of an item's content, or of the summary of a thought. */
export interface PartProgress {
  readonly list: "content" | "summary";
  readonly index: number;
  readonly part: JsonObject;
  readonly text: string;
  readonly done: boolean;
}

/** The member that has a call's input, and the events that stream it. */
interface InputStream {
  readonly member: "arguments" | "input" | "code";
  readonly stem: string;
}

const INPUTS: ReadonlyMap<unknown, InputStream> = new Map([
  ["function_call", { member: "arguments", stem: "response.function_call_arguments" }],
  ["mcp_call", { member: "arguments", stem: "response.mcp_call_arguments" }],
  ["custom_tool_call", { member: "input", stem: "response.custom_tool_call_input" }],
  ["code_interpreter_call", { member: "code", stem: "response.code_interpreter_call_code" }],
]);

const INPUT_EVENT: ReadonlyMap<string, string> = new Map(
  [...INPUTS.values()].flatMap(({ stem, member }): [string, string][] => [
    [`${stem}.delta`, "delta"],
    [`${stem}.done`, member],
  ]),
);

/** Events about a part of an item: `response.output_text.delta` goes on with its text, `.done` tells it whole. */
const TEXT_EVENT = /^response\.(output_text|refusal|reasoning_text|reasoning_summary_text)\.(delta|done)$/;
const PART_EVENT = /^response\.(content|reasoning_summary)_part\.(?:added|done)$/;

export function inputStreamOf({ type }: JsonObject): InputStream | undefined {
  return INPUTS.get(type);
}

/** An item that is being read: what is gathered event by event is changed in its place, so that many events cost no more each. */
interface OpenItem extends Omit<ItemProgress, "parts"> {
  readonly parts: Map<string, PartProgress>;
}

function newItem(index: number, item: JsonObject): OpenItem {
  return { index, item, done: false, input: inputIn(item), parts: new Map() };
}

function opened(item: ItemProgress): OpenItem {
  return { ...item, parts: new Map(item.parts.map((part) => [keyOf(part), part])) };
}

function closed(item: OpenItem): ItemProgress {
  return { ...item, parts: [...item.parts.values()].sort(byIndex) };
}

const keyOf = ({ list, index }: Pick<PartProgress, "list" | "index">) => `${list} ${index}`;
const byIndex = (one: { readonly index: number }, other: { readonly index: number }) => one.index - other.index;

function inputIn(item: JsonObject): string {
  const stream = inputStreamOf(item);
  if (stream !== undefined) return stringIn(item[stream.member]) ?? "";
  return kindOf(item) === "call" ? callOf(item).args : "";
}

/** What one event adds to an item, and its new text; which text tells `part`, undefined for a call's input. */
interface Growth {
  readonly after: OpenItem;
  readonly text?: string;
  readonly part?: PartProgress;
}

/** What was streamed before is told once more at the end: only what is new of it counts. */
function grown(before: OpenItem, type: string, event: JsonObject): Growth {
  const input = INPUT_EVENT.get(type);
  if (input !== undefined) {
    const text = input === "delta" || before.input === "" ? (stringIn(event[input]) ?? "") : "";
    return { after: { ...before, input: before.input + text }, text };
  }
  const [, stem = "", verb] = TEXT_EVENT.exec(type) ?? [];
  if (verb !== undefined) {
    const part = partAt(before, stem === "reasoning_summary_text" ? "summary" : "content", event);
    const told = verb === "delta" ? event.delta : part.text === "" ? event[stem === "refusal" ? stem : "text"] : "";
    const text = stringIn(told) ?? "";
    const longer = { ...part, text: part.text + text };
    return { after: withPart(before, longer), text, part: longer };
  }
  const list = PART_EVENT.exec(type)?.[1];
  if (list === undefined || !isObject(event.part)) return { after: before };
  const existing = partAt(before, list === "content" ? list : "summary", event);
  return { after: withPart(before, { ...existing, part: event.part, done: type.endsWith("done") }) };
}

function partAt({ item, parts }: OpenItem, list: PartProgress["list"], event: JsonObject): PartProgress {
  const at = event[`${list}_index`];
  const index = typeof at === "number" ? at : 0;
  const existing = parts.get(keyOf({ list, index }));
  if (existing !== undefined) return existing;
  const type = list === "summary" ? "summary_text" : kindOf(item) === "thought" ? "reasoning_text" : "output_text";
  return { list, index, part: { type }, text: "", done: false };
}

function withPart(before: OpenItem, part: PartProgress): OpenItem {
  before.parts.set(keyOf(part), part);
  return { ...before };
}

/** As a whole answer carries it, should nothing more come. */
export function wholeItem({ item, done, input, parts }: ItemProgress): JsonObject {
  if (done) return item;
  const listed = (list: PartProgress["list"]) => parts.filter((part) => part.list === list).map(wholePart);
  const [content, summary, stream] = [listed("content"), listed("summary"), inputStreamOf(item)];
  return {
    ...item,
    ...(item.status !== undefined && { status: "completed" }),
    ...(content.length > 0 && { content }),
    ...(summary.length > 0 && { summary }),
    ...(stream !== undefined && { [stream.member]: input }),
  };
}

export function wholePart({ part, text }: PartProgress): JsonObject {
  return part.type === "refusal" ? { ...part, refusal: text } : { ...part, text };
}

export interface ResponseStream extends Progress {
  /** The response as its latest event told it whole; empty before the first. */
  readonly head: JsonObject;
  readonly items: readonly ItemProgress[];
  /** Of the latest event; -1 before the first. */
  readonly sequence: number;
  readonly finished: boolean;
}

export const notBegun: ResponseStream = { head: {}, items: [], sequence: -1, finished: false, usage: undefined };

/** The events that end a stream; `failed` is no answer. Some servers write `done` for any end. */
const END = /^response\.(?:completed|incomplete|done)$/;
const FAILURES: ReadonlySet<string> = new Set(["response.failed", "response.error", "error"]);
/** What ends well, where the event's name does not say it. */
const WELL: ReadonlySet<unknown> = new Set([undefined, "completed", "incomplete"]);
const ERROR: StreamPart = { kind: "error" };

export function reading(from: ResponseStream): EventReading<ResponseStream> {
  let at: Omit<ResponseStream, "items"> = from;
  const items = new Map(from.items.map((item) => [item.index, opened(item)]));
  const begunCalls = new Set<number>();
  /** The text that was told last: another one begins a line of its own. */
  let latest: string | undefined;

  function tell(kind: "text" | "reasoning" | "refusal", text: string, place: string): readonly StreamPart[] {
    if (text === "") return [];
    const apart = kind === "text" && latest !== undefined && latest !== place ? "\n" : "";
    if (kind === "text") latest = place;
    return [{ kind, text: apart + text }];
  }

  function begin({ index, item, input }: OpenItem): readonly StreamPart[] {
    if (kindOf(item) !== "call" || begunCalls.has(index)) return [];
    begunCalls.add(index);
    const { id, tool } = callOf(item);
    const start: StreamPart = { kind: "call-start", call: index, id, tool };
    return [isHosted(item) ? { ...start, isHosted: true } : start, ...argue(index, input)];
  }

  const itemAt = (index: number): OpenItem => items.get(index) ?? newItem(index, {});
  const keep = (item: OpenItem) => void items.set(item.index, item);

  function add(index: number, announced: JsonObject): readonly StreamPart[] {
    const item = newItem(index, announced);
    keep(item);
    if (kindOf(announced) === "thought") return [{ kind: "thought" }];
    // Some calls are announced with what they were made with, and streamed again: only one of the two is told.
    return begin({ ...item, input: "" });
  }

  function goOn(type: string, event: JsonObject): readonly StreamPart[] {
    if (typeof event.output_index !== "number") return [];
    const before = itemAt(event.output_index);
    const { after, text = "", part } = grown(before, type, event);
    if (after === before) return [];
    keep(after);
    if (part === undefined) return begunCalls.has(after.index) ? argue(after.index, text) : [];
    return tell(kindOfText(type), text, `${after.index} ${part.list} ${part.index}`);
  }

  /** What an item says that was not streamed is told at its end. */
  function done(index: number, item: JsonObject): readonly StreamPart[] {
    const before = itemAt(index);
    const after = { ...before, item, done: true, input: inputIn(item) };
    keep(after);
    if (kindOf(item) === "said" && [...before.parts.values()].every(({ text }) => text === ""))
      return arrayIn(item.content).flatMap((part, place) => {
        const { text, refusal } = objectIn(part);
        return tell("text", stringIn(text) ?? stringIn(refusal) ?? "", `${index} content ${place}`);
      });
    if (kindOf(item) !== "call") return [];
    const { outcome } = callOf(item);
    const rest = before.input === "" ? after.input : "";
    return [
      ...(begunCalls.has(index) ? argue(index, rest) : begin(after)),
      ...(outcome === undefined ? [] : [{ kind: "call-result" as const, call: index, outcome }]),
    ];
  }

  /** Some servers list items at the end that they have not streamed, and some list none of those that they have. */
  function end(response: JsonObject, isCut: boolean): readonly StreamPart[] {
    const late = arrayIn(response.output).flatMap((item, index) =>
      !isObject(item) || itemAt(index).done ? [] : done(index, item),
    );
    at = { ...at, finished: true };
    const { input_tokens, output_tokens, input_tokens_details } = at.usage ?? {};
    const usage = tokensUsed(input_tokens, output_tokens, input_tokens_details);
    const { reason } = objectIn(response.incomplete_details);
    return [
      ...late,
      ...(usage === undefined ? [] : [{ kind: "usage" as const, usage }]),
      { kind: "finish", reason: isCut ? (stringIn(reason) ?? "incomplete") : "completed" },
      { kind: "end" },
    ];
  }

  function whole(type: string, response: JsonObject): readonly StreamPart[] {
    const start: readonly StreamPart[] =
      at.head.id === undefined ? [{ kind: "start", id: nonEmpty(response.id), model: nonEmpty(response.model) }] : [];
    at = {
      ...at,
      head: { ...at.head, ...response },
      usage: isObject(response.usage) ? response.usage : at.usage,
    };
    const isFailed = FAILURES.has(type) || (type === "response.done" && !WELL.has(response.status));
    if (isFailed) return [...start, ERROR];
    return END.test(type)
      ? [...start, ...end(response, type === "response.incomplete" || response.status === "incomplete")]
      : start;
  }

  function partsOf(type: string, event: JsonObject): readonly StreamPart[] {
    if (typeof event.sequence_number === "number") at = { ...at, sequence: event.sequence_number };
    if (isObject(event.response)) return whole(type, event.response);
    if (FAILURES.has(type)) return [ERROR];
    const index = Number(event.output_index ?? 0);
    if (type === "response.output_item.added") return add(index, objectIn(event.item));
    if (type === "response.output_item.done") return done(index, objectIn(event.item));
    // An answer in one piece.
    if (type === "" && Array.isArray(event.output)) return whole("response.done", event);
    return type === "keepalive" || type === "ping" ? [{ kind: "keepalive" }] : goOn(type, event);
  }

  return {
    take: (event, name) => partsOf(stringIn(event.type) ?? name ?? "", event),
    progress: () => ({ ...at, items: [...items.values()].sort(byIndex).map(closed) }),
  };
}

function argue(call: number, text: string): readonly StreamPart[] {
  return text === "" ? [] : [{ kind: "call-args", call, text }];
}

function kindOfText(type: string): "text" | "reasoning" | "refusal" {
  if (type.startsWith("response.reasoning")) return "reasoning";
  return type.startsWith("response.refusal") ? "refusal" : "text";
}
