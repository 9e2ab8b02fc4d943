import type { Mutable } from "../mutable.ts";
import { requestWork } from "../work.ts";
import { segmentBytes, splitStream } from "./answer/split-stream.ts";
import { type FinalCall, finalMessageOf } from "./final-message.ts";
import { type Framing, isStream, MAX_EVENT, sse } from "./framing.ts";
import type { Json, JsonObject } from "./json/json.ts";
import { arrayIn, eventValue, isObject, jsonText, jsonValue, memberAt, objectIn, stringIn } from "./json/json.ts";
import { placedObject } from "./json/place.ts";
import type {
  ArgsCompletion,
  Failure,
  ParsedRequest,
  Protocol,
  Reply,
  Stamp,
  StreamDecoder,
  StreamPart,
  StreamState,
  Usage,
} from "./protocol.ts";

/** How far a format's own reading has come. `head`: what the answer says of itself beside its content; empty before it has begun. */
type Progress = { readonly head: JsonObject | undefined };

type Stop<P> = StreamState & { readonly progress: P };

export type EventData = JsonObject | string;

export interface AnswersFormat<P extends Progress> {
  framing?(target: string): Framing;
  readonly endMark?: string;
  /** Events go by the names of their types. */
  readonly isNamed?: true;
  readonly notBegun: P;
  /** An answer in one piece is read as the only event of its stream. */
  reading(from: P): EventReading<P>;
  resume(terms: Continuation<P>): EventEncoder;
  finish(progress: P, terms: ClosingTerms): readonly EventData[];
  readonly usage: readonly [string, ...string[]];
  /** Where in an event they stand. Missing: in the event itself. */
  usageIn?(event: JsonObject): Json;
  /** Members that count them; those of one list are counted beside each other. */
  readonly tokens: {
    readonly input: readonly [string, ...string[]];
    readonly output: readonly [string, ...string[]];
    readonly cached?: readonly string[];
    readonly written?: string;
  };
  /** @param like head of the upstream's answer in whose place it comes; undefined if there is none */
  writer(request: ParsedRequest, stamp: Stamp, like: JsonObject | undefined): AnswerWriter;
  /** Where an event, or a whole answer, has its text; `*` stands for each element of a list. Missing where no turn can be begun. */
  readonly places?: readonly (readonly string[])[];
  error(failure: Failure): { readonly body: JsonObject; readonly event?: JsonObject };
}

export interface EventReading<P> {
  take(event: JsonObject): readonly StreamPart[];
  progress(): P;
}

interface ClosingTerms extends Pick<StreamState, "usage" | "finished"> {
  readonly rests: readonly ArgsCompletion[];
  readonly acts: boolean;
}

type EventEncoder = (event: JsonObject) => readonly JsonObject[] | undefined;

interface Continuation<P> {
  readonly first: P | undefined;
  readonly words: ContinuedText;
  /** The answer with what was used before added to its own usage; the same one where it tells none. */
  counted(answer: JsonObject): JsonObject;
  at(): P;
}

interface AnswerWriter {
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

const MOST_ALTERNATIVES = 128;

export function alternativesOf(count: Json, one: JsonObject): readonly JsonObject[] {
  const length = typeof count === "number" && count >= 1 ? Math.min(Math.floor(count), MOST_ALTERNATIVES) : 1;
  return Array.from({ length }, (_, index) => ({ index, ...one }));
}

export function firstOf(alternatives: Json): JsonObject | undefined {
  return arrayIn(alternatives).find((one): one is JsonObject => isObject(one) && (one.index ?? 0) === 0);
}

export function answersOf<P extends Progress>(
  format: AnswersFormat<P>,
): Pick<Protocol, "framing" | "decoder" | "resume" | "finish" | "addUsage" | "retold" | "reply" | "error"> {
  const { framing = () => sse, notBegun } = format;
  const eventOf = (data: EventData) => streamEvent(format, data);
  const decoder = (target = "", encoder?: EventEncoder) =>
    streamDecoder(format, { target, said: "", usage: undefined, progress: notBegun }, encoder && (() => encoder));
  const headOf = (answer: StreamState | Uint8Array): JsonObject | undefined => {
    if (!(answer instanceof Uint8Array)) return (answer as Stop<P>).progress.head;
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
      const { target = "", said = "" } = shown ?? used ?? {};
      const { usage } = used ?? {};
      const first = (shown as Stop<P> | undefined)?.progress;
      const counted = (answer: JsonObject) =>
        Object.keys(countsOf(format, answer)).length === 0 ? answer : withUsage(usage ?? {}, answer);
      const from = { target, said: shown === undefined ? "" : said, usage, progress: first ?? notBegun };
      const words = continuedText(from.said);
      return streamDecoder(format, from, (at) => format.resume({ first, words, counted, at }), first !== undefined);
    },
    finish: (state, rests, acts = false) =>
      format.finish((state as Stop<P>).progress, { ...state, rests, acts }).map(eventOf),
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
      const told = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
      const text = change(told);
      if (text === told) return answer;
      const editor = decoder(target, putting(format.places ?? [], text));
      if (isStreamed) return segmentBytes(splitStream(editor, false), answer);
      const [whole] = editor.decode({ event: undefined, data })?.events ?? [];
      return whole === undefined ? answer : new TextEncoder().encode(whole.data);
    },
    reply(request, final, stamp, withheld): Reply {
      const { text, call, isRefusal = false } = finalMessageOf(request, final);
      const writer = format.writer(request, stamp, withheld && headOf(withheld));
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

/** Puts a text in the place of the first one of an answer, and nothing in the place of all others. */
function putting(places: readonly (readonly string[])[], text: string): EventEncoder {
  let rest = text;
  const put = () => {
    const now = rest;
    rest = "";
    return now;
  };
  return (event) => {
    const changed = places.reduce<Json>((at, path) => changedAt(at, path, put), event);
    return changed === event || !isObject(changed) ? undefined : [changed];
  };
}

function changedAt(value: Json, [name, ...path]: readonly string[], put: () => string): Json {
  if (name === undefined) return typeof value === "string" && value !== "" ? put() : value;
  if (name === "*" && Array.isArray(value)) {
    const changed = value.map((one) => changedAt(one, path, put));
    return changed.every((one, index) => one === value[index]) ? value : changed;
  }
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  const inner = changedAt(value[name], path, put);
  return inner === value[name] ? value : { ...value, [name]: inner };
}

/** Of what stands there, the end is compared: so many characters. */
const MOST_SHOWN = 4_000;

const SENTENCE_END = /(?<=[.!?…]["'”’)\]]?)\s+|(?<=[。！？])|\n+/u;

export type ContinuedText = ReturnType<typeof continuedText>;

/** What a second answer says behind words that its reader has, without the sentences that stand there. @param shown those words */
export function continuedText(shown: string) {
  const sentences = shown.split(SENTENCE_END).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
  let waiting = "";
  let isNew = sentences.length === 0;

  function release(): string {
    const gap = shown.endsWith("\n\n") ? "" : shown.endsWith("\n") ? "\n" : "\n\n";
    const text = gap + waiting;
    isNew = true;
    waiting = "";
    return text;
  }

  /** The text from its first sentence on that does not stand there. */
  function withoutSaid(text: string): string {
    const said = sentences.find((one) => text.length > one.length && text.startsWith(one) && endsAt(text, one.length));
    return said === undefined ? text : withoutSaid(text.slice(said.length).trimStart());
  }

  return {
    /** What may be said now of a text that goes on with this; what may turn out to be said again waits. */
    add(text: string): string {
      if (isNew) return text;
      waiting = withoutSaid((waiting + text).trimStart());
      return sentences.some((one) => one.startsWith(waiting)) ? "" : release();
    },
    end(): string {
      if (isNew || waiting === "") return "";
      if (!sentences.includes(waiting.trimEnd())) return release();
      waiting = "";
      return "";
    },
    isWaiting: () => !isNew,
  };
}

const endsAt = (text: string, at: number): boolean => /^(?:[。！？]|.\s)/su.test(text.slice(at - 1, at + 1));

type UsageMembers = Pick<AnswersFormat<Progress>, "usage" | "tokens">;

const isTold = (value: Json) => isObject(value) || typeof value === "number";

function countsOf({ usage }: UsageMembers, answer: JsonObject): JsonObject {
  return Object.fromEntries(usage.flatMap((name) => (isTold(answer[name]) ? [[name, answer[name]]] : [])));
}

function streamDecoder<P extends Progress>(
  format: AnswersFormat<P>,
  { target, said: before, usage: used, progress }: Omit<Stop<P>, "finished">,
  encoder?: (at: () => P) => EventEncoder,
  hasBegun = false,
): StreamDecoder {
  const reading = format.reading(progress);
  const encode = encoder?.(reading.progress);
  let [said, usage, finished] = [before, used, false];
  const count = (event: JsonObject): readonly StreamPart[] => {
    const told = objectIn(format.usageIn?.(event) ?? event);
    const names = format.usage.filter((name) => isTold(told[name]));
    if (names.length === 0) return [];
    const latest: Record<string, Json> = {};
    for (const name of names) {
      const [value, before] = [told[name], usage?.[name]];
      latest[name] = isObject(value) && isObject(before) ? { ...before, ...value } : value;
    }
    usage = latest;
    return tokensIn(format, usage);
  };
  const heard = (event: JsonObject, name: string | undefined): readonly StreamPart[] => {
    const counts = count(event);
    const read = name === "error" ? ERROR : reading.take(event);
    const parts = counts.length === 0 ? read : [...counts, ...read];
    for (const part of parts) {
      if (part.kind === "text") said += part.text;
      else if (part.kind === "finish") finished = true;
    }
    if (said.length > 2 * MOST_SHOWN) said = said.slice(-MOST_SHOWN);
    return parts;
  };
  return {
    framing: format.framing?.(target) ?? sse,
    hasBegun,
    continues: encode !== undefined,
    decode({ event: name, data }) {
      if (data.length < MAX_MARK && data.trim() === format.endMark) return END;
      const value = eventValue(data);
      if (!isObject(value)) return undefined;
      // The event's name says the same, and some servers leave one of the two out.
      const isError = value.error !== undefined && value.error !== null;
      const type = isError ? "error" : name;
      const event = format.isNamed && typeof value.type !== "string" && type ? { ...value, type } : value;
      const events = encode?.(event);
      return {
        parts: events === undefined ? heard(event, name) : events.flatMap((one) => heard(one, name)),
        events: events?.map((one) => streamEvent(format, one, name)),
      };
    },
    state: () => ({ target, said, usage, finished, progress: reading.progress() }),
  };
}

const END = { parts: [{ kind: "end" }], events: undefined } as const;
const ERROR: readonly StreamPart[] = [{ kind: "error" }];

/** Blanks around a mark are the server's affair, but an event is longer than any of them. In characters. */
const MAX_MARK = 64;

function tokensIn({ usage: names, tokens }: UsageMembers, told: JsonObject): readonly StreamPart[] {
  const { input, output, cached, written } = tokens;
  const counts = names.length === 1 ? objectIn(told[names[0]]) : told;
  if (!isCount(counts[input[0]]) && !isCount(counts[output[0]])) return [];
  const total = (names: readonly string[]) => names.reduce((all, name) => all + countIn(counts[name]), 0);
  const usage: Mutable<Usage> = { inputTokens: total(input), outputTokens: total(output) };
  const [read, wrote] = [cached && countIn(memberAt(counts, cached)), written && countIn(counts[written])];
  if (read) usage.cachedInputTokens = read;
  if (wrote) usage.cacheWriteTokens = wrote;
  return [{ kind: "usage", usage }];
}

const MOST_TOKENS = 1e9;

/** What an upstream says is added to sums and budgets, which a negative or an endless number would undo. */
const isCount = (value: Json): value is number => typeof value === "number" && value >= 0 && value <= MOST_TOKENS;
const countIn = (value: Json) => (isCount(value) ? value : 0);

/** Details of details are counted; what is nested deeper is no count of anything. */
const MAX_DEPTH = 4;

/** Two usages in one: every number the sum of both, in its details too; what only one of them tells stays. */
function sum(one: JsonObject, other: JsonObject, depth = 1): JsonObject {
  const total = new Map<string, Json>(Object.entries(one));
  for (const [key, value] of Object.entries(other)) {
    const before = total.get(key);
    if (typeof before === "number" && typeof value === "number") total.set(key, before + value);
    else if (isObject(before) && isObject(value) && depth < MAX_DEPTH) total.set(key, sum(before, value, depth + 1));
    else total.set(key, value ?? before);
  }
  return Object.fromEntries(total);
}
