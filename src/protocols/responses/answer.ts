import type { Mutable } from "../../mutable.ts";
import type { Call, Outcome } from "../../step.ts";
import type { EventReading } from "../answers.ts";
import { type Json, arrayIn, isObject, type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamPart } from "../protocol.ts";
import { contentText } from "../requests.ts";

/** `reference`: the id of an item that the API keeps, mostly of one that the model made; `other`: nothing that takes part in a run. */
export type ItemKind = "instruction" | "user" | "said" | "thought" | "call" | "result" | "reference" | "other";

const roles: ReadonlyMap<unknown, ItemKind> = new Map([
  ["system", "instruction"],
  ["developer", "instruction"],
  ["user", "user"],
  ["assistant", "said"],
]);

export function kindOf(item: Json): ItemKind {
  if (!isObject(item)) return "other";
  const type = stringIn(item.type) ?? (item.role === undefined ? "item_reference" : "message");
  if (type === "item_reference") return nonEmpty(item.id) === undefined ? "other" : "reference";
  if (type === "message") return roles.get(item.role) ?? "other";
  if (type === "reasoning") return "thought";
  if (type.endsWith("_call")) return "call";
  return type.endsWith("_output") ? "result" : "other";
}

export const idOf = (item: JsonObject) => nonEmpty(item.call_id) ?? nonEmpty(item.id);

export function callOf(item: JsonObject): Call {
  const [id, name, args] = [idOf(item), nonEmpty(item.name), argumentsIn(item)];
  const kind = (stringIn(item.type) ?? "").replace(/_call$/, "");
  const tool = name === undefined ? kind : qualified(name, item.namespace ?? item.server_label);
  const call: Call = id === undefined ? { tool, args } : { id, tool, args };
  const outcome = hostedOutcome(item);
  return outcome === undefined ? call : { outcome, ...call };
}

export function qualified(name: string, namespace: Json): string {
  return nonEmpty(namespace) === undefined ? name : `${String(namespace)}.${name}`;
}

const BESIDES =
  /^(type|id|call_id|status|name|namespace|server_(label|name)|created_by|container_id|pending_safety_checks|execution|environment|approval_request_id|caller)$/;
const OUTCOMES = ["output", "outputs", "results", "result", "error"];

function argumentsIn(item: JsonObject): string {
  const input = item.arguments ?? item.input;
  if (typeof input === "string") return input;
  if (input !== undefined && input !== null) return jsonText(input) ?? "";
  const members = Object.entries(item).filter(([key]) => !BESIDES.test(key) && !OUTCOMES.includes(key));
  const [only] = members;
  const isAlone = members.length === 1 && isObject(only?.[1]);
  return jsonText(isAlone ? only?.[1] : Object.fromEntries(members)) ?? "";
}

/** Tools that the provider runs are answered within the same answer; all others by an item of the next request. */
const HOSTED = /^(web_search|file_search|code_interpreter|image_generation|mcp)_/;

export function isHosted({ type, execution }: JsonObject): boolean {
  return HOSTED.test(stringIn(type) ?? "") || execution === "server";
}

function hostedOutcome(item: JsonObject): Outcome | undefined {
  if (!isHosted(item) || item.status === "in_progress") return undefined;
  const parts = OUTCOMES.flatMap((key) => (item[key] === undefined || item[key] === null ? [] : [item[key]]));
  const text = parts.map(contentText).join("\n");
  const failed = item.status === "failed" || (item.error !== undefined && item.error !== null);
  return failed ? { text, failed } : { text };
}

export interface ItemProgress {
  readonly index: number;
  readonly item: JsonObject;
  readonly done: boolean;
  readonly input: string;
  readonly parts: readonly PartProgress[];
}

export interface PartProgress {
  readonly list: "content" | "summary";
  readonly index: number;
  readonly part: JsonObject;
  readonly text: string;
  readonly done: boolean;
}

type InputStream = { readonly member: "arguments" | "input" | "code"; readonly stem: string };

const INPUTS: ReadonlyMap<unknown, InputStream> = new Map([
  ["function_call", { member: "arguments", stem: "response.function_call_arguments" }],
  ["mcp_call", { member: "arguments", stem: "response.mcp_call_arguments" }],
  ["custom_tool_call", { member: "input", stem: "response.custom_tool_call_input" }],
  ["code_interpreter_call", { member: "code", stem: "response.code_interpreter_call_code" }],
]);

export const inputStreamOf = ({ type }: JsonObject): InputStream | undefined => INPUTS.get(type);

type TextKind = "text" | "reasoning" | "refusal";

/** An event that goes on with a text, or tells it whole: the member that has it. Without a kind the text is a call's input. */
interface Growth {
  readonly member: string;
  readonly isWhole: boolean;
  readonly kind?: TextKind;
  readonly list?: PartProgress["list"];
}

const growths = (stem: string, member: string, more: Pick<Growth, "kind" | "list"> = {}): [string, Growth][] => [
  [`${stem}.delta`, { member: "delta", isWhole: false, ...more }],
  [`${stem}.done`, { member, isWhole: true, ...more }],
];

const GROWTHS: ReadonlyMap<string, Growth> = new Map([
  ...growths("response.output_text", "text", { kind: "text", list: "content" }),
  ...growths("response.refusal", "refusal", { kind: "refusal", list: "content" }),
  ...growths("response.reasoning_text", "text", { kind: "reasoning", list: "content" }),
  ...growths("response.reasoning_summary_text", "text", { kind: "reasoning", list: "summary" }),
  ...[...INPUTS.values()].flatMap(({ stem, member }) => growths(stem, member)),
]);

const PART_EVENT = /^response\.(content|reasoning_summary)_part\.(?:added|done)$/;

/** What is gathered event by event is changed in its place, so that many events cost no more each. */
interface OpenItem extends Mutable<Omit<ItemProgress, "parts">> {
  readonly parts: Map<string, Mutable<PartProgress>>;
}

const keyOf = ({ list, index }: Pick<PartProgress, "list" | "index">) => `${list} ${index}`;
const opened = (item: ItemProgress): OpenItem => ({
  ...item,
  parts: new Map(item.parts.map((part) => [keyOf(part), { ...part }])),
});
const copied = (item: OpenItem): ItemProgress => ({
  ...item,
  parts: [...item.parts.values()].map((part) => ({ ...part })),
});

function partAt({ item, parts }: OpenItem, list: PartProgress["list"], event: JsonObject): Mutable<PartProgress> {
  const at = event[`${list}_index`];
  const index = typeof at === "number" ? at : 0;
  const existing = parts.get(keyOf({ list, index }));
  if (existing !== undefined) return existing;
  const type = list === "summary" ? "summary_text" : kindOf(item) === "thought" ? "reasoning_text" : "output_text";
  const part = { list, index, part: { type }, text: "", done: false };
  parts.set(keyOf(part), part);
  return part;
}

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

export interface ResponseStream {
  readonly head: JsonObject;
  readonly items: readonly ItemProgress[];
  readonly sequence: number;
}

export const notBegun: ResponseStream = { head: {}, items: [], sequence: -1 };

/** The events that end a stream; `failed` is no answer. Some servers write `done` for any end. */
const END = /^response\.(?:completed|incomplete|done)$/;
const FAILURES: ReadonlySet<string> = new Set(["response.failed", "response.error", "error"]);
const WELL: ReadonlySet<unknown> = new Set([undefined, "completed", "incomplete"]);
const ERROR: StreamPart = { kind: "error" };

export function reading(from: ResponseStream): EventReading<ResponseStream> {
  let { head, sequence } = from;
  const items = new Map(from.items.map((item) => [item.index, opened(item)]));
  const begunCalls = new Set<number>();
  /** The part of an item whose text was told last: another one begins a line of its own. */
  let latest: object | undefined;

  function tell(kind: TextKind, text: string, part: object): readonly StreamPart[] {
    if (text === "") return [];
    const apart = kind === "text" && latest !== undefined && latest !== part ? "\n" : "";
    if (kind === "text") latest = part;
    return [{ kind, text: apart + text }];
  }

  function itemAt(index: number, announced?: JsonObject): OpenItem {
    const existing = announced === undefined ? items.get(index) : undefined;
    if (existing !== undefined) return existing;
    const item = { index, item: announced ?? {}, done: false, input: "", parts: new Map() };
    items.set(index, item);
    return item;
  }

  function begin({ index, item }: OpenItem): readonly StreamPart[] {
    if (kindOf(item) === "thought") return [{ kind: "thought" }];
    if (kindOf(item) !== "call" || begunCalls.has(index)) return [];
    begunCalls.add(index);
    const { id, tool } = callOf(item);
    const start: StreamPart = { kind: "call-start", call: index, id, tool };
    return [isHosted(item) ? { ...start, isHosted: true } : start];
  }

  /** What was streamed before is told once more at the end: only what is new of it counts. */
  function goOn(type: string, event: JsonObject): readonly StreamPart[] {
    const { output_index: index } = event;
    const growth = GROWTHS.get(type);
    if (typeof index !== "number") return [];
    if (growth === undefined) {
      const at = PART_EVENT.exec(type)?.[1];
      if (at === undefined || !isObject(event.part)) return [];
      const open = partAt(itemAt(index), at === "content" ? at : "summary", event);
      [open.part, open.done] = [event.part, type.endsWith("done")];
      return [];
    }
    const { member, isWhole, kind, list } = growth;
    const item = itemAt(index);
    const part = list && partAt(item, list, event);
    const text = isWhole && (part?.text ?? item.input) !== "" ? "" : (stringIn(event[member]) ?? "");
    if (part !== undefined && kind !== undefined) {
      part.text += text;
      return tell(kind, text, part);
    }
    item.input += text;
    return begunCalls.has(index) ? argue(index, text) : [];
  }

  function done(index: number, item: JsonObject): readonly StreamPart[] {
    const open = itemAt(index);
    const { input } = open;
    open.item = item;
    open.done = true;
    const stream = inputStreamOf(item);
    if (stream !== undefined) open.input = stringIn(item[stream.member]) ?? "";
    else open.input = kindOf(item) === "call" ? callOf(item).args : "";
    if (kindOf(item) === "said" && [...open.parts.values()].every(({ text }) => text === ""))
      return arrayIn(item.content).flatMap((part) => {
        const { text, refusal } = objectIn(part);
        return tell("text", stringIn(text) ?? stringIn(refusal) ?? "", {});
      });
    if (kindOf(item) !== "call") return [];
    const { outcome } = callOf(item);
    const result: readonly StreamPart[] = outcome === undefined ? [] : [{ kind: "call-result", call: index, outcome }];
    return [...begin(open), ...argue(index, input === "" ? open.input : ""), ...result];
  }

  function whole(type: string, response: JsonObject): readonly StreamPart[] {
    const start: readonly StreamPart[] =
      head.id === undefined ? [{ kind: "start", id: nonEmpty(response.id), model: nonEmpty(response.model) }] : [];
    head = head.id === undefined ? response : { ...head, ...response };
    if (FAILURES.has(type) || (type === "response.done" && !WELL.has(response.status))) return [...start, ERROR];
    if (!END.test(type)) return start;
    // Some servers list items at the end that they have not streamed, and some list none of those that they have.
    const late = arrayIn(response.output).flatMap((item, index) =>
      !isObject(item) || items.get(index)?.done ? [] : done(index, item),
    );
    const isCut = type === "response.incomplete" || response.status === "incomplete";
    const { reason } = objectIn(response.incomplete_details);
    return [
      ...start,
      ...late,
      { kind: "finish", reason: isCut ? (stringIn(reason) ?? "incomplete") : "completed" },
      { kind: "end" },
    ];
  }

  function partsOf(type: string, event: JsonObject): readonly StreamPart[] {
    if (typeof event.sequence_number === "number") sequence = event.sequence_number;
    if (isObject(event.response)) return whole(type, event.response);
    if (FAILURES.has(type)) return [ERROR];
    const index = Number(event.output_index ?? 0);
    if (type === "response.output_item.added") return begin(itemAt(index, objectIn(event.item)));
    if (type === "response.output_item.done") return done(index, objectIn(event.item));
    if (type === "" && Array.isArray(event.output)) return whole("response.done", event);
    return type === "keepalive" || type === "ping" ? [{ kind: "keepalive" }] : goOn(type, event);
  }

  return {
    take: (event) => partsOf(stringIn(event.type) ?? "", event),
    progress() {
      const inOrder = [...items.values()].sort((one, other) => one.index - other.index);
      return { head, sequence, items: inOrder.map(copied) };
    },
  };
}

const argue = (call: number, text: string): readonly StreamPart[] =>
  text === "" ? [] : [{ kind: "call-args", call, text }];
