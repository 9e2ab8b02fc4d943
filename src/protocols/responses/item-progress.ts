import { isObject, type JsonObject, objectIn, stringIn } from "../json/json.ts";
import { callOf, kindOf } from "./items.ts";

/** An output item as far as it has been streamed. Immutable. */
export interface ItemProgress {
  /** Its `output_index`. */
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

/** What one event adds that a reader of the answer is told. */
export interface Growth {
  readonly after: ItemProgress;
  /** A text's next piece; which text tells `part`, undefined for a call's input. */
  readonly text?: string;
  readonly part?: PartProgress;
}

/** The member that has a call's input, and the events that stream it. */
interface InputStream {
  readonly member: "arguments" | "input" | "code";
  readonly stem: string;
}

const INPUTS: Readonly<Record<string, InputStream>> = {
  function_call: { member: "arguments", stem: "response.function_call_arguments" },
  mcp_call: { member: "arguments", stem: "response.mcp_call_arguments" },
  custom_tool_call: { member: "input", stem: "response.custom_tool_call_input" },
  code_interpreter_call: { member: "code", stem: "response.code_interpreter_call_code" },
};

const INPUT_EVENT = new Map(
  Object.values(INPUTS).flatMap(({ stem, member }) => [
    [`${stem}.delta`, "delta"],
    [`${stem}.done`, member],
  ]),
);

/** Events that go on with the text of a part, or tell it whole: the part's list, and the member with the text. */
const TEXT_EVENT: ReadonlyMap<string, readonly [PartProgress["list"], string]> = new Map([
  ["response.output_text.delta", ["content", "delta"]],
  ["response.output_text.done", ["content", "text"]],
  ["response.refusal.delta", ["content", "delta"]],
  ["response.refusal.done", ["content", "refusal"]],
  ["response.reasoning_text.delta", ["content", "delta"]],
  ["response.reasoning_text.done", ["content", "text"]],
  ["response.reasoning_summary_text.delta", ["summary", "delta"]],
  ["response.reasoning_summary_text.done", ["summary", "text"]],
]);

const PART_EVENT: ReadonlyMap<string, PartProgress["list"]> = new Map([
  ["response.content_part.added", "content"],
  ["response.content_part.done", "content"],
  ["response.reasoning_summary_part.added", "summary"],
  ["response.reasoning_summary_part.done", "summary"],
]);

export function inputStreamOf({ type }: JsonObject): InputStream | undefined {
  return Object.hasOwn(INPUTS, String(type)) ? INPUTS[String(type)] : undefined;
}

export function newItem(index: number, item: JsonObject): ItemProgress {
  return { index, item, done: false, input: inputIn(item), parts: [] };
}

/** One more event about an item. */
export function grown(before: ItemProgress, type: string, event: JsonObject): Growth {
  const input = INPUT_EVENT.get(type);
  if (input !== undefined) return withInput(before, stringIn(event[input]) ?? "", input === "delta");
  const text = TEXT_EVENT.get(type);
  if (text !== undefined) {
    const [list, member] = text;
    return withText(before, partAt(before, list, event), stringIn(event[member]) ?? "", member === "delta");
  }
  const list = PART_EVENT.get(type);
  if (list === undefined || !isObject(event.part)) return { after: before };
  const existing = partAt(before, list, event);
  return { after: withPart(before, { ...existing, part: event.part, done: type.endsWith("done") }) };
}

/** The item as it was told at its end. */
export function doneItem(before: ItemProgress, item: JsonObject): ItemProgress {
  return { ...before, item, done: true, input: inputIn(item) };
}

/** As a whole answer carries it, should nothing more come. */
export function wholeItem({ item, done, input, parts }: ItemProgress): JsonObject {
  if (done) return item;
  const itemsOf = (list: PartProgress["list"]) => parts.filter((part) => part.list === list).map(wholePart);
  const stream = inputStreamOf(item);
  return {
    ...item,
    ...(item.status === undefined ? {} : { status: "completed" }),
    ...(itemsOf("content").length === 0 ? {} : { content: itemsOf("content") }),
    ...(itemsOf("summary").length === 0 ? {} : { summary: itemsOf("summary") }),
    ...(stream === undefined ? {} : { [stream.member]: input }),
  };
}

export function wholePart({ part, text }: PartProgress): JsonObject {
  return part.type === "refusal" ? { ...part, refusal: text } : { ...part, text };
}

function inputIn(item: JsonObject): string {
  const stream = inputStreamOf(item);
  if (stream !== undefined) return stringIn(item[stream.member]) ?? "";
  return kindOf(item) === "call" ? callOf(item).args : "";
}

/** What was streamed before is told once more at the end: only what is new of it counts. */
function withInput(before: ItemProgress, text: string, isDelta: boolean): Growth {
  const added = isDelta ? text : before.input === "" ? text : "";
  return { after: { ...before, input: before.input + added }, text: added };
}

function withText(before: ItemProgress, part: PartProgress, text: string, isDelta: boolean): Growth {
  const added = isDelta ? text : part.text === "" ? text : "";
  const longer = { ...part, text: part.text + added };
  return { after: withPart(before, longer), text: added, part: longer };
}

function partAt({ item, parts }: ItemProgress, list: PartProgress["list"], event: JsonObject): PartProgress {
  const at = event[`${list}_index`];
  const index = typeof at === "number" ? at : 0;
  const existing = parts.find((part) => part.list === list && part.index === index);
  if (existing !== undefined) return existing;
  const type = list === "summary" ? "summary_text" : kindOf(item) === "thought" ? "reasoning_text" : "output_text";
  return { list, index, part: { type }, text: "", done: false };
}

function withPart(before: ItemProgress, part: PartProgress): ItemProgress {
  const others = before.parts.filter(({ list, index }) => list !== part.list || index !== part.index);
  return { ...before, parts: [...others, part].sort((one, other) => one.index - other.index) };
}

/** Texts of a message that no event streamed. */
export function textsOf(item: JsonObject): readonly string[] {
  const content = Array.isArray(item.content) ? item.content : [];
  return content.map((part) => stringIn(objectIn(part).text) ?? stringIn(objectIn(part).refusal) ?? "");
}
