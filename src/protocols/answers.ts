import { requestWork } from "../work.ts";
import { type ContinuedText, continuedText, MOST_SHOWN } from "./answer/continued-text.ts";
import { segmentBytes, splitStream } from "./answer/split-stream.ts";
import { type FinalCall, finalMessageOf } from "./final-message.ts";
import { type Framing, isStream, MAX_EVENT, sse } from "./framing.ts";
import { arrayIn, isObject, type JsonObject, jsonText, jsonValue, memberAt, objectIn, stringIn } from "./json/json.ts";
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
  readonly usage: JsonObject | undefined;
}

export type EventData = JsonObject | string;

export interface AnswersFormat<P extends Progress> {
  /** Missing: server-sent events. */
  framing?(target: string): Framing;
  readonly endMark?: string;
  /** Events go by the names of their types. */
  readonly isNamed?: true;
  readonly notBegun: P;
  /** Reads the events of one stream. An answer in one piece is read as the only event of its stream. */
  reading(from: P): EventReading<P>;
  resume(terms: Continuation<P>): EventEncoder;
  finish(progress: P, rests: readonly ArgsCompletion[], acts?: boolean): readonly EventData[];
  readonly usage: readonly string[];
  /** @param like head of the upstream's answer in whose place it comes; empty if there is none */
  writer(request: ParsedRequest, stamp: Stamp, like: JsonObject): AnswerWriter;
  /** Where an event, or a whole answer, has its text; `*` stands for each element of a list. Missing where no turn can be begun. */
  readonly places?: readonly (readonly string[])[];
  error(failure: Failure): { readonly body: JsonObject; readonly event?: JsonObject };
}

export interface EventReading<P> {
  take(event: JsonObject, name: string | undefined): readonly StreamPart[];
  progress(): P;
}

/** The events in the place of one; undefined: it passes as it is. */
export type EventEncoder = (event: JsonObject, name: string | undefined) => readonly JsonObject[] | undefined;

export interface Continuation<P> {
  readonly first: P | undefined;
  readonly words: ContinuedText;
  /** The answer with what was used before added to its own usage; the same one where it tells none. */
  counted(answer: JsonObject): JsonObject;
  /** How far the stream has come, with what was made of the second one's earlier events. */
  at(): P;
}

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

/** Of several alternatives the one that agents read. */
export function firstOf(alternatives: unknown): JsonObject | undefined {
  return arrayIn(alternatives)
    .filter(isObject)
    .find(({ index }) => (index ?? 0) === 0);
}

export function answersOf<P extends Progress>(
  format: AnswersFormat<P>,
): Pick<Protocol, "framing" | "decoder" | "resume" | "finish" | "addUsage" | "retold" | "reply" | "error"> {
  const { framing = () => sse, notBegun } = format;
  const states = opaque<StreamStop<P>, StreamState>();
  const eventOf = (data: EventData) => streamEvent(format, data);
  const decoder = (target = "", encoder?: EventEncoder) =>
    streamDecoder(format, { target, said: "", progress: notBegun }, states.hide, encoder && (() => encoder));
  const headOf = (answer: StreamState | Uint8Array): JsonObject | undefined => {
    if (!(answer instanceof Uint8Array)) return states.show(answer).progress.head;
    const whole = decoder();
    whole.decode({ event: undefined, data: UTF8.decode(answer) });
    return headOf(whole.state());
  };
  const withUsage = (used: JsonObject, answer: JsonObject): JsonObject =>
    Object.keys(used).length === 0 ? answer : { ...answer, ...sum(used, countsOf(format, answer)) };
  const written = (events: readonly EventData[], target: string): Reply => {
    const { contentType, write } = framing(target);
    return { contentType, body: write(events.map(eventOf), { begins: true, ends: true }) };
  };
  return {
    framing,
    decoder,
    resume(shown, used) {
      const [stop, before] = [shown && states.show(shown), used && states.show(used)];
      const { target = "" } = stop ?? before ?? {};
      const { said = "", progress: first } = stop ?? {};
      const usage = before?.progress.usage;
      const counted = (answer: JsonObject) =>
        Object.keys(countsOf(format, answer)).length === 0 ? answer : withUsage(usage ?? {}, answer);
      const encoder = (at: () => P) => format.resume({ first, words: continuedText(said), counted, at });
      return streamDecoder(
        format,
        { target, said, progress: { ...(first ?? notBegun), usage } },
        states.hide,
        encoder,
        !!first,
      );
    },
    finish: (state, rests, acts) => format.finish(states.show(state).progress, rests, acts).map(eventOf),
    addUsage(earlier, answer) {
      const [before, own] = [jsonValue(earlier, requestWork()), placedObject(answer)];
      if (!isObject(before) || own === undefined || !isObject(own.value)) return answer;
      const total = Object.entries(withUsage(countsOf(format, before), own.value));
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
      const reader = decoder(target);
      const parts = slices.flatMap(({ event }) => (event && reader.decode(event)?.parts) ?? []);
      const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
      const changed = change(text);
      if (changed === text) return answer;
      const writer = decoder(target, putting(format.places ?? [], changed));
      if (isStreamed) return segmentBytes(splitStream(writer, false), answer);
      const [whole] = writer.decode({ event: undefined, data })?.events ?? [];
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
      if (request.streams) return written(events, request.target);
      return { contentType: "application/json", body: JSON.stringify(writer.whole()) };
    },
    error(failure, as, target = ""): Reply {
      const { body, event = body } = format.error(failure);
      return as === "event"
        ? written([event], target)
        : { contentType: "application/json", body: JSON.stringify(body) };
    },
  };
}

const UTF8 = new TextDecoder();

function streamEvent({ isNamed }: Pick<AnswersFormat<Progress>, "isNamed">, data: EventData, name?: string) {
  if (typeof data === "string") return { event: undefined, data };
  return { event: isNamed ? stringIn(data.type) : name, data: jsonText(data) ?? "{}" };
}

export function countsOf({ usage }: Pick<AnswersFormat<Progress>, "usage">, answer: JsonObject): JsonObject {
  const isTold = (value: unknown) => isObject(value) || typeof value === "number";
  return Object.fromEntries(usage.flatMap((name) => (isTold(answer[name]) ? [[name, answer[name]]] : [])));
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

type StreamStop<P> = { readonly target: string; readonly said: string; readonly progress: P };

/** @param encoder set where it goes on with another stream, or takes its place @param hasBegun its reader has a beginning */
function streamDecoder<P extends Progress>(
  format: AnswersFormat<P>,
  { target, said: before, progress }: StreamStop<P>,
  hide: (stop: StreamStop<P>) => StreamState,
  encoder?: (at: () => P) => EventEncoder,
  hasBegun = false,
): StreamDecoder {
  const reading = format.reading(progress);
  const encode = encoder?.(reading.progress);
  let said = before;
  const heard = (event: JsonObject, name: string | undefined): readonly StreamPart[] => {
    const parts = reading.take(event, name);
    for (const part of parts) if (part.kind === "text") said += part.text;
    if (said.length > 2 * MOST_SHOWN) said = said.slice(-MOST_SHOWN);
    return parts;
  };
  return {
    framing: format.framing?.(target) ?? sse,
    hasBegun,
    continues: encode !== undefined,
    decode({ event, data }) {
      if (data.length < MAX_MARK && data.trim() === format.endMark) return END;
      const value = jsonValue(data, requestWork());
      if (!isObject(value)) return undefined;
      const events = encode?.(value, event);
      return {
        parts: events === undefined ? heard(value, event) : events.flatMap((one) => heard(one, event)),
        events: events?.map((one) => streamEvent(format, one, event)),
      };
    },
    state: () => hide({ target, said, progress: reading.progress() }),
  };
}

const END = { parts: [{ kind: "end" }], events: undefined } as const;

/** Blanks around a mark are the server's affair, but an event is longer than any of them. In characters. */
const MAX_MARK = 64;

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
const isCount = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= MOST_TOKENS;
const countIn = (value: unknown) => (isCount(value) ? value : 0);

/** Details of details are counted; what is nested deeper is no count of anything. */
const MAX_DEPTH = 4;

/** Two usages in one: every number the sum of both, in its details too; what only one of them tells stays. */
function sum(one: JsonObject, other: JsonObject, depth = 1): JsonObject {
  const total = new Map<string, unknown>(Object.entries(one));
  for (const [key, value] of Object.entries(other)) {
    const before = total.get(key);
    if (typeof before === "number" && typeof value === "number") total.set(key, before + value);
    else if (isObject(before) && isObject(value) && depth < MAX_DEPTH) total.set(key, sum(before, value, depth + 1));
    else total.set(key, value ?? before);
  }
  return Object.fromEntries(total);
}
