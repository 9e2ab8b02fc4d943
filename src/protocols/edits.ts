import type { Work } from "../work.ts";
import type { Message, ResultMessage } from "./dialects/dialect.ts";
import { carrierOf } from "./dialects/ends.ts";
import { type Json, arrayIn, type JsonObject, nonEmpty, objectIn } from "./json/json.ts";
import { insertion, instead, type JsonPlace, placedObject, type Splice } from "./json/place.ts";
import type { Edit, NeutralHistory, ParsedRequest, RequestWire } from "./protocol.ts";

export interface EditFormat {
  instruct(body: JsonPlace, texts: readonly string[]): readonly Splice[];
  entries?(body: JsonPlace): readonly JsonPlace[];
  extended(entry: JsonPlace, texts: readonly string[], call: string | undefined): readonly Splice[];
  /** The texts as an entry of their own, at the end or before it; undefined where the API refuses that. */
  said(texts: readonly string[], isLast: boolean): object | undefined;
  offers(body: JsonPlace): readonly PlacedTool[];
  mayNarrow?(body: JsonPlace): boolean;
  silence(body: JsonPlace): readonly Splice[];
  /** Whether the model goes on where the last message ends, which then may be the assistant's. Missing: it never does. */
  mayBegin?(body: JsonObject): boolean;
  readonly schemas: readonly (readonly string[])[];
}

export interface PlacedTool {
  readonly name: string;
  readonly schema: JsonPlace | undefined;
  alone(splices: readonly Splice[]): readonly Splice[];
}

interface ToolPlace {
  readonly name: Json;
  readonly schema: readonly string[];
  readonly choice?: readonly [string, unknown];
}

export function placedTools(body: JsonPlace, list: string, read: (tool: JsonObject) => ToolPlace) {
  return elementsAt(body, list).flatMap((tool): readonly PlacedTool[] => {
    const { name, schema, choice } = read(objectIn(tool.value));
    const chosen = choice === undefined ? [] : [body.put(choice[0], JSON.stringify(choice[1]))];
    const alone = (splices: readonly Splice[]) => [body.put(list, `[${tool.json(splices)}]`), ...chosen];
    return nonEmpty(name) === undefined ? [] : [{ name: String(name), schema: tool.at(...schema), alone }];
  });
}

export const elementsAt = (place: JsonPlace, ...path: readonly string[]): readonly JsonPlace[] =>
  place.at(...path)?.elements() ?? [];

/** The choice of no tool, where the list offers any: APIs refuse a choice where nothing is offered. */
export function silenced(body: JsonPlace, list: string, choice: string, none: string): readonly Splice[] {
  return elementsAt(body, list).length === 0 ? [] : [body.put(choice, none)];
}

/** The texts at the end of a content: a text grows by paragraphs, a list by parts. None where it is of no known kind. */
export function appended({ value, end, add }: JsonPlace, texts: readonly string[], type = "text"): readonly Splice[] {
  if (typeof value === "string") {
    const more = texts.join("\n\n");
    return [insertion(end - 1, JSON.stringify(value === "" ? more : `\n\n${more}`).slice(1, -1))];
  }
  return Array.isArray(value) ? [add(texts.map((text) => JSON.stringify({ type, text })).join(","))] : [];
}

export function grown(object: JsonPlace, name: string, texts: readonly string[]): readonly Splice[] {
  const place = object.at(name);
  if (place !== undefined && place.value !== null) return appended(place, texts);
  return [object.put(name, JSON.stringify(texts.join("\n\n")))];
}

/** @param list the member of a body whose entries are the conversation */
export function rewritten(format: EditFormat, list: string, request: ParsedRequest, edits: readonly Edit[]): string {
  const { text, body: value } = request.wire;
  const body = edits.length === 0 ? undefined : placedObject(text, value);
  if (body === undefined) return text;
  const preambles = new Set(edits.flatMap((edit) => (edit.kind === "preamble" && edit.text !== "" ? [edit.text] : [])));
  const missing = [...preambles].filter((one) => !request.conversation.system.includes(one));
  const notes = edits.filter((edit) => edit.kind === "note");
  const finish = edits.findLast((edit) => edit.kind === "finish");
  const begin = edits.find((edit) => edit.kind === "begin");
  const isBegun = objectIn(arrayIn(value[list]).at(-1)).role === "assistant";
  const turn = begin && !isBegun && format.mayBegin?.(value) ? body.at(list) : undefined;
  const splices = [
    ...(missing.length === 0 ? [] : format.instruct(body, missing)),
    ...(notes.length === 0
      ? []
      : noteSplices(format, format.entries?.(body) ?? elementsAt(body, list), request.wire, notes)),
    ...(finish === undefined ? [] : finishSplices(format, body, finish.tool, request.work)),
    ...(turn === undefined ? [] : [turn.add(JSON.stringify({ role: "assistant", content: begin?.text }))]),
  ];
  return text.slice(0, body.start) + body.json(splices) + text.slice(body.end);
}

type Note = Extract<Edit, { kind: "note" }>;

function noteSplices(format: EditFormat, entries: readonly JsonPlace[], wire: RequestWire, notes: readonly Note[]) {
  const { turns, told, isPrompt } = wire;
  const places = new Map<string, Note[]>();
  for (const note of notes) {
    const place = JSON.stringify([isPrompt || note.atEnd ? "end" : (turns[note.step] ?? null), note.call]);
    places.set(place, [...(places.get(place) ?? []), note]);
  }
  return [...places.values()].flatMap((group) => {
    const [{ step, call, atEnd }] = group as [Note];
    const isAtEnd = isPrompt || atEnd === true;
    const turn = isAtEnd ? -1 : turns[step];
    if (turn === undefined) return [];
    const texts = group.map((note) => note.text);
    const end = isAtEnd ? undefined : turns.find((other, index) => index > step && other !== turn);
    const behind = told.filter(({ at }) => at > turn && at < (end ?? entries.length));
    const own = call === undefined ? undefined : behind.find(({ message }) => isResult(message) && message.id === call);
    const target = own ?? behind.findLast(({ message }) => isResult(message) || message?.part === "user");
    const place = target && entries[target.at];
    if (place !== undefined) return format.extended(place, texts, call);
    const [said, isLast] = [entries[turn], turn === entries.length - 1];
    const entry = said && !isOpenAt(told, turn) ? format.said(texts, isLast) : undefined;
    return entry === undefined ? [] : [insertion(said?.end ?? 0, `,${JSON.stringify(entry)}`)];
  });
}

const isResult = (message: Message | undefined): message is ResultMessage => message?.part === "result";

/** Whether a message right behind this entry would come between a call and its result, which APIs refuse. */
function isOpenAt(told: NeutralHistory, turn: number): boolean {
  const acts = ({ message }: NeutralHistory[number]) =>
    message?.part === "assistant" && message.calls.some(({ outcome }) => outcome === undefined);
  const next = told.find((one) => one.at > turn && (acts(one) || isResult(one.message)));
  return told.some((one) => acts(one) && (one.at === turn || (one.at < turn && isResult(next?.message))));
}

function finishSplices(format: EditFormat, body: JsonPlace, done: string | undefined, work: Work): readonly Splice[] {
  const mayNarrow = format.mayNarrow?.(body) !== false;
  const tools = format.offers(body);
  const named = tools.find(({ name }) => done !== undefined && name === done);
  if (named !== undefined) return mayNarrow ? named.alone([]) : [];
  for (const tool of tools) {
    const narrowing = narrowed(tool.schema, done, work);
    if (narrowing !== undefined) return mayNarrow ? tool.alone(narrowing) : [];
  }
  const formats = format.schemas.map((path) => narrowed(body.at(...path), done, work)).find((one) => one !== undefined);
  return [...format.silence(body), ...(formats ?? [])];
}

function narrowed(schema: JsonPlace | undefined, done: string | undefined, work: Work): readonly Splice[] | undefined {
  const carrier = carrierOf(schema?.value, done, work);
  if (schema === undefined || carrier === undefined) return undefined;
  const { path, last } = carrier;
  const place = schema.at("properties", ...path);
  return place === undefined || last === undefined ? [] : [instead(place, JSON.stringify(last))];
}
