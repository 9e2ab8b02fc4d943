import { requestWork } from "../work.ts";
import { type ContinuedText, continuedText, MOST_SHOWN } from "./answer/continued-text.ts";
import { segmentBytes, splitStream } from "./answer/split-stream.ts";
import { type FinalCall, finalMessageOf } from "./final-message.ts";
import { type Framing, isStream, MAX_EVENT } from "./framing.ts";
import { isObject, type JsonObject, jsonText, jsonValue, memberAt, objectIn, stringIn } from "./json/json.ts";
import { placedObject } from "./json/place.ts";
import {
  type ArgsCompletion,
  type Failure,
  opaque,
  type ParsedRequest,
  type Protocol,
  type Reply,
  type Stamp,
  type StreamDecoder,
  type StreamPart,
  type StreamState,
} from "./protocol.ts";

export interface Progress {
  /** What the answer says of itself beside its content; undefined or empty before it has begun. */
  readonly head: JsonObject | undefined;
  /** The members that count what it has used. */
  readonly usage: JsonObject | undefined;
}

/** An event's JSON, or a mark that is none. */
export type EventData = JsonObject | string;

/** What a format's answers have of their own: how their events are read, gone on with and written. */
export interface AnswersFormat<P extends Progress> {
  framing(target: string): Framing;
  readonly endMark?: string;
  /** Events go by the names of their types. */
  readonly isNamed?: true;
  readonly notBegun: P;
  /** Reads the events of one stream. An answer in one piece is read as the only event of its stream. */
  reading(from: P): EventReading<P>;
  /** Makes the events of a second stream go on where the first was stopped. */
  resume(terms: Continuation<P>): EventEncoder;
  finish(progress: P, rests: readonly ArgsCompletion[], acts?: boolean): readonly EventData[];
  /** The members of a whole answer, or of an event, that count what it has used. */
  usageIn(answer: JsonObject): JsonObject;
  /** Writes a final answer of our own. @param like head of the upstream's answer in whose place it comes; empty if there is none */
  writer(request: ParsedRequest, stamp: Stamp, like: JsonObject): AnswerWriter;
  /** Where an event, or a whole answer, has its text; `*` stands for each element of a list. Missing where no turn can be begun. */
  readonly places?: readonly (readonly string[])[];
  error(failure: Failure): { readonly body: JsonObject; readonly event?: JsonObject };
}

export interface EventReading<P> {
  /** @param name the event's own, where the framing has names */
  take(event: JsonObject, name: string | undefined): readonly StreamPart[];
  progress(): P;
}

/** The events in the place of one; undefined: it passes as it is. */
export type EventEncoder = (event: JsonObject, name: string | undefined) => readonly JsonObject[] | undefined;

export interface Continuation<P> {
  /** The first stream as its reader has it; undefined: nothing of it. */
  readonly first: P | undefined;
  /** What the second says is to go through this. */
  readonly words: ContinuedText;
  /** The answer with what was used before added to its own usage; the same one where it tells none. */
  counted(answer: JsonObject): JsonObject;
  /** How far the stream has come, with what was made of the second one's earlier events. */
  at(): P;
}

/** Writes one answer, event by event, and the same as one JSON text. */
export interface AnswerWriter {
  begin(speaks: boolean): readonly EventData[];
  /** @param isRefusal it declines to answer in the form that was demanded */
  text(text: string, isRefusal: boolean): readonly EventData[];
  call(call: FinalCall): readonly EventData[];
  end(): readonly EventData[];
  whole(): object;
}

export const errorType = (status: number) => (status < 500 ? "invalid_request_error" : "api_error");

/** An error as OpenAI's APIs tell it: `code` tells clients apart what happened, `message` is for people. */
export function openAiError({ code, status, message }: Failure): JsonObject {
  return { error: { message, type: errorType(status), param: null, code } };
}

/** More alternatives no API gives at once. */
const MOST_ALTERNATIVES = 128;

export function alternativesOf(count: unknown, one: JsonObject): readonly JsonObject[] {
  const length = typeof count === "number" && count >= 1 ? Math.min(Math.floor(count), MOST_ALTERNATIVES) : 1;
  return Array.from({ length }, (_, index) => ({ index, ...one }));
}

export function answersOf<P extends Progress>(
  format: AnswersFormat<P>,
): Pick<Protocol, "framing" | "decoder" | "resume" | "finish" | "addUsage" | "retold" | "reply" | "error"> {
  const { framing } = format;
  const states = opaque<StreamStop<P>, StreamState>();
  const decoder = (terms: StreamTerms<P>) => streamDecoder(format, terms, states.hide);
  const eventOf = (data: EventData) => streamEvent(format, data);
  const headOf = (answer: StreamState | Uint8Array): JsonObject | undefined => {
    if (!(answer instanceof Uint8Array)) return states.show(answer).progress.head;
    const whole = decoder({ target: "" });
    whole.decode({ event: undefined, data: UTF8.decode(answer) });
    return headOf(whole.state());
  };
  return {
    framing,
    decoder: (target = "") => decoder({ target }),
    resume(state, used) {
      const [stop, before] = [state && states.show(state), used && states.show(used)];
      const { target = "" } = stop ?? before ?? {};
      const [first, said, usage] = [stop?.progress, stop?.said ?? "", before?.progress.usage];
      const counted = (answer: JsonObject) =>
        Object.keys(format.usageIn(answer)).length === 0 ? answer : withUsage(format, usage, answer);
      const encoder = (at: () => P) => format.resume({ first, words: continuedText(said), counted, at });
      return decoder({ target, said, encoder, from: { ...(first ?? format.notBegun), usage }, hasBegun: !!first });
    },
    finish: (state, rests, acts) => format.finish(states.show(state).progress, rests, acts).map(eventOf),
    addUsage(earlier, answer) {
      const [before, own] = [jsonValue(earlier, requestWork()), placedObject(answer)];
      if (!isObject(before) || own === undefined || !isObject(own.value)) return answer;
      const total = Object.entries(withUsage(format, format.usageIn(before), own.value));
      const splices = total.flatMap(([key, value]) => {
        const json = value === objectIn(own.value)[key] ? undefined : jsonText(value);
        return json === undefined ? [] : [own.put(key, json)];
      });
      return answer.slice(0, own.start) + own.json(splices) + answer.slice(own.end);
    },
    retold(answer, { contentType, target }, change) {
      const data = UTF8.decode(answer);
      const isStreamed = isStream(framing(target), contentType, data) === true;
      const slicer = framing(target).slicer(MAX_EVENT);
      const slices = isStreamed ? [...slicer.push(answer), slicer.rest()] : [{ event: { event: undefined, data } }];
      const reader = decoder({ target });
      const parts = slices.flatMap(({ event }) => (event && reader.decode(event)) ?? []);
      const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
      const changed = change(text);
      if (changed === text) return answer;
      const writer = decoder({ target, encoder: () => putting(format.places ?? [], changed) });
      if (isStreamed) return segmentBytes(splitStream(writer, false), answer);
      const [whole] = writer.encode({ event: undefined, data })?.events ?? [];
      return whole === undefined ? answer : new TextEncoder().encode(whole.data);
    },
    reply(request, final, stamp, withheld): Reply {
      const { text, call, isRefusal = false } = finalMessageOf(request, final);
      const writer = format.writer(request, stamp, (withheld && headOf(withheld)) ?? {});
      const events = [
        ...writer.begin(text !== null && !isRefusal),
        ...(text === null ? [] : writer.text(text, isRefusal)),
        ...(call === undefined ? [] : writer.call(call)),
        ...writer.end(),
      ];
      if (!request.streams) return { contentType: "application/json", body: JSON.stringify(writer.whole()) };
      const { contentType, write } = framing(request.target);
      return { contentType, body: write(events.map(eventOf), { begins: true, ends: true }) };
    },
    error(failure, as, target = ""): Reply {
      const { body, event = body } = format.error(failure);
      if (as === "body") return { contentType: "application/json", body: JSON.stringify(body) };
      const { contentType, write } = framing(target);
      return { contentType, body: write([eventOf(event)], { begins: true, ends: true }) };
    },
  };
}

const UTF8 = new TextDecoder();

function streamEvent({ isNamed }: Pick<AnswersFormat<Progress>, "isNamed">, data: EventData, name?: string) {
  if (typeof data === "string") return { event: undefined, data };
  return { event: isNamed ? stringIn(data.type) : name, data: jsonText(data) ?? "{}" };
}

/** Puts a text in the place of the first one of a stream, and nothing in the place of all others. */
function putting(places: readonly (readonly string[])[], text: string): EventEncoder {
  let rest = text;
  const put = () => {
    const now = rest;
    rest = "";
    return now;
  };
  return (event) => {
    const changed = places.reduce<unknown>((at, path) => changedAt(at, path, put), event);
    return changed === event || !isObject(changed) ? undefined : [changed];
  };
}

/** The same value where nothing stands there. */
function changedAt(value: unknown, [name, ...path]: readonly string[], put: () => string): unknown {
  if (name === undefined) return typeof value === "string" && value !== "" ? put() : value;
  if (name === "*" && Array.isArray(value)) {
    const changed = value.map((one) => changedAt(one, path, put));
    return changed.every((one, index) => one === value[index]) ? value : changed;
  }
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  const inner = changedAt(value[name], path, put);
  return inner === value[name] ? value : { ...value, [name]: inner };
}

function withUsage(
  { usageIn }: Pick<AnswersFormat<Progress>, "usageIn">,
  used: JsonObject = {},
  answer: JsonObject,
): JsonObject {
  const own = usageIn(answer);
  return Object.keys(used).length === 0 ? answer : { ...answer, ...sum(used, own) };
}

/** Where a stream stands: how far it has come, the end of what it has said, and the URL that tells its framing. */
interface StreamStop<P> {
  readonly target: string;
  readonly said: string;
  readonly progress: P;
}

interface StreamTerms<P> {
  readonly target: string;
  /** What its reader has of the stream that it goes on with. */
  readonly said?: string;
  /** Set where it goes on with another stream, or takes its place. */
  encoder?(at: () => P): EventEncoder;
  readonly from?: P;
  readonly hasBegun?: boolean;
}

function streamDecoder<P extends Progress>(
  format: AnswersFormat<P>,
  { target, said: before = "", encoder, from = format.notBegun, hasBegun = false }: StreamTerms<P>,
  hide: (stop: StreamStop<P>) => StreamState,
): StreamDecoder {
  const reading = format.reading(from);
  const encode = encoder?.(reading.progress);
  let said = before;
  const heard = (event: JsonObject, name: string | undefined): readonly StreamPart[] => {
    const parts = reading.take(event, name);
    for (const part of parts) if (part.kind === "text") said += part.text;
    if (said.length > 2 * MOST_SHOWN) said = said.slice(-MOST_SHOWN);
    return parts;
  };
  return {
    framing: format.framing(target),
    hasBegun,
    continues: encode !== undefined,
    decode({ event, data }) {
      if (isMark(data, format.endMark)) return END;
      const value = jsonValue(data, requestWork());
      return isObject(value) ? heard(value, event) : undefined;
    },
    encode({ event, data }) {
      const value = encode && jsonValue(data, requestWork());
      const written = isObject(value) ? encode?.(value, event) : undefined;
      return (
        written && {
          events: written.map((one) => streamEvent(format, one, event)),
          parts: written.flatMap((one) => heard(one, event)),
        }
      );
    },
    state: () => hide({ target, said, progress: reading.progress() }),
  };
}

const END: readonly StreamPart[] = [{ kind: "end" }];

/** Blanks around a mark are the server's affair, but an event is longer than any of them. In characters. */
const MAX_MARK = 64;

function isMark(data: string, mark: string | undefined): boolean {
  return mark !== undefined && data.length < MAX_MARK && data.trim() === mark;
}

/** Members that count tokens; those of one list are counted beside each other. */
interface UsageMembers {
  readonly input: readonly [string, ...string[]];
  readonly output: readonly [string, ...string[]];
  readonly cached?: readonly string[];
  readonly written?: string;
}

export function usageReader({ input, output, cached, written }: UsageMembers) {
  return (usage: unknown): readonly StreamPart[] => {
    const counts = objectIn(usage);
    if (!isCount(counts[input[0]]) && !isCount(counts[output[0]])) return [];
    const total = (names: readonly string[]) => names.reduce((all, name) => all + countIn(counts[name]), 0);
    const [read, wrote] = [cached && countIn(memberAt(counts, cached)), written && countIn(counts[written])];
    const cache = { ...(read && { cachedInputTokens: read }), ...(wrote && { cacheWriteTokens: wrote }) };
    return [{ kind: "usage", usage: { inputTokens: total(input), outputTokens: total(output), ...cache } }];
  };
}

const MOST_TOKENS = 1e9;

/** What an upstream says is added to sums and budgets, which a negative or an endless number would undo. */
function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= MOST_TOKENS;
}

function countIn(value: unknown): number {
  return isCount(value) ? value : 0;
}

/** Details of details are counted; what is nested deeper is no count of anything. */
const MAX_DEPTH = 4;

/** Two usages in one: every number the sum of both, in its details too; what only one of them tells stays. */
function sum(one: JsonObject, other: JsonObject, depth = 1): JsonObject {
  const total = new Map<string, unknown>(Object.entries(one));
  for (const [key, value] of Object.entries(other)) total.set(key, sumOf(total.get(key), value, depth));
  return Object.fromEntries(total);
}

function sumOf(one: unknown, other: unknown, depth: number): unknown {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (isObject(one) && isObject(other) && depth < MAX_DEPTH) return sum(one, other, depth + 1);
  return other ?? one;
}
