import { requestWork } from "../work.ts";
import { type ContinuedText, continuedText, MOST_SHOWN } from "./answer/continued-text.ts";
import { retold } from "./begun-turn.ts";
import { type FinalCall, finalMessageOf } from "./final-message.ts";
import type { Framing, StreamEvent } from "./framing.ts";
import { isObject, type JsonObject, jsonText, jsonValue, objectIn } from "./json/json.ts";
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
  type Usage,
} from "./protocol.ts";

export interface Progress {
  /** What the answer says of itself beside its content; undefined or empty before it has begun. */
  readonly head: JsonObject | undefined;
  readonly usage: JsonObject | undefined;
}

/** What a format's answers have of their own: how their events are read, gone on with and written. */
export interface AnswersFormat<P extends Progress> {
  framing(target: string): Framing;
  /** Data that mark the end and are no JSON. */
  readonly endMark?: string;
  readonly notBegun: P;
  /** Reads the events of one stream. An answer in one piece is read as the only event of its stream. */
  reading(from: P): EventReading<P>;
  /**
   * Makes the events of a second stream go on where the first was stopped; undefined: an event passes as it is.
   * @param usage to be added to what the second reports @param words what it says is to go through this
   */
  resume(first: P | undefined, usage: JsonObject | undefined, words: ContinuedText): EventEncoder;
  finish(progress: P, rests: readonly ArgsCompletion[], acts?: boolean): readonly StreamEvent[];
  /** The members of a whole answer that count what it has used. */
  usageIn(answer: JsonObject): JsonObject;
  /** Writes a final answer of our own. @param like head of the upstream's answer in whose place it comes; empty if there is none */
  writer(request: ParsedRequest, stamp: Stamp, like: JsonObject): AnswerWriter;
  /** Where an event, or a whole answer, has its text; `*` stands for each element of a list. Missing where no turn can be begun. */
  readonly places?: readonly (readonly string[])[];
  error(failure: Failure): { readonly body: object; readonly event?: StreamEvent };
}

export interface EventReading<P> {
  /** @param name the event's own, where the framing has names */
  take(event: JsonObject, name: string | undefined): readonly StreamPart[];
  progress(): P;
}

export type EventEncoder = (event: JsonObject, name: string | undefined) => readonly StreamEvent[] | undefined;

/** Writes one answer, event by event, and the same as one JSON text. */
export interface AnswerWriter {
  /** @param speaks words follow */
  begin(speaks: boolean): readonly StreamEvent[];
  /** @param isRefusal it declines to answer in the form that was demanded */
  text(text: string, isRefusal: boolean): readonly StreamEvent[];
  call(call: FinalCall): readonly StreamEvent[];
  end(): readonly StreamEvent[];
  whole(): object;
}

/** An error as OpenAI's APIs tell it: `code` tells clients apart what happened, `message` is for people. */
export function openAiError({ code, status, message }: Failure): object {
  return { error: { message, type: status < 500 ? "invalid_request_error" : "api_error", param: null, code } };
}

/** More alternatives no API gives at once. */
const MOST_ALTERNATIVES = 128;

export function alternativesOf(count: unknown, one: JsonObject): readonly JsonObject[] {
  const length = typeof count === "number" && count >= 1 ? Math.min(Math.floor(count), MOST_ALTERNATIVES) : 1;
  return Array.from({ length }, (_, index) => ({ index, ...one }));
}

export function eventOf(data: object): StreamEvent {
  return { event: undefined, data: jsonText(data) ?? "{}" };
}

export function answersOf<P extends Progress>(
  format: AnswersFormat<P>,
): Pick<Protocol, "framing" | "decoder" | "resume" | "finish" | "addUsage" | "retold" | "reply" | "error"> {
  const { framing } = format;
  const states = opaque<StreamStop<P>, StreamState>();
  const decoder = (terms: StreamTerms<P>) => streamDecoder(format, terms, states.hide);
  const headOf = (answer: StreamState | Uint8Array): JsonObject | undefined => {
    if (!(answer instanceof Uint8Array)) return states.show(answer).progress.head;
    const whole = decoder({ target: "" });
    whole.decode({ event: undefined, data: new TextDecoder().decode(answer) });
    return headOf(whole.state());
  };
  return {
    framing,
    decoder: (target = "") => decoder({ target }),
    resume(state, used) {
      const [first, before] = [state && states.show(state), used && states.show(used)];
      const { target = "" } = first ?? before ?? {};
      const said = first?.said ?? "";
      const usage = before?.progress.usage;
      const encode = format.resume(first?.progress, usage, continuedText(said));
      const from = { ...(first?.progress ?? format.notBegun), usage };
      return decoder({ target, said, encode, from, hasBegun: first !== undefined });
    },
    finish: (state, rests, acts) => format.finish(states.show(state).progress, rests, acts),
    addUsage: (earlier, answer) => withUsage(format, earlier, answer),
    retold(answer, { contentType, target }, change) {
      const { places } = format;
      if (places === undefined) return answer;
      return retold(answer, { framing: framing(target), contentType, decoder: decoder({ target }), places }, change);
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
      return { contentType, body: write(events, { begins: true, ends: true }) };
    },
    error(failure, as, target = ""): Reply {
      const { body, event = eventOf(body) } = format.error(failure);
      if (as === "body") return { contentType: "application/json", body: JSON.stringify(body) };
      const { contentType, write } = framing(target);
      return { contentType, body: write([event], { begins: true, ends: true }) };
    },
  };
}

/** A whole answer with the usage of another one added to its own; all else byte for byte. */
function withUsage({ usageIn }: Pick<AnswersFormat<Progress>, "usageIn">, earlier: string, answer: string): string {
  const before = jsonValue(earlier, requestWork());
  const body = placedObject(answer);
  const own = objectIn(body?.value);
  if (!isObject(before) || body === undefined || Object.keys(own).length === 0) return answer;
  const used = usageIn(before);
  const total = sum(used, usageIn(own));
  const splices = Object.keys(used).flatMap((key) => {
    const json = jsonText(total[key]);
    return json === undefined ? [] : [body.put(key, json)];
  });
  return answer.slice(0, body.start) + body.json(splices) + answer.slice(body.end);
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
  readonly encode?: EventEncoder;
  readonly from?: P;
  readonly hasBegun?: boolean;
}

function streamDecoder<P extends Progress>(
  { framing, endMark, notBegun, reading: readingFrom }: AnswersFormat<P>,
  { target, said: before = "", encode, from = notBegun, hasBegun = false }: StreamTerms<P>,
  hide: (stop: StreamStop<P>) => StreamState,
): StreamDecoder {
  const reading = readingFrom(from);
  let said = before;
  const heard = (parts: readonly StreamPart[]): readonly StreamPart[] => {
    for (const part of parts) if (part.kind === "text") said += part.text;
    if (said.length > 2 * MOST_SHOWN) said = said.slice(-MOST_SHOWN);
    return parts;
  };
  return {
    framing: framing(target),
    hasBegun,
    continues: encode !== undefined,
    decode({ event, data }) {
      if (isMark(data, endMark)) return END;
      const nextEvent = jsonValue(data, requestWork());
      return isObject(nextEvent) ? heard(reading.take(nextEvent, event)) : undefined;
    },
    encode({ event, data }) {
      const nextEvent = encode && jsonValue(data, requestWork());
      return isObject(nextEvent) ? encode?.(nextEvent, event) : undefined;
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

/** Usage as OpenAI's APIs count it: what came from a cache is part of the input. Undefined where nothing is counted. */
export function tokensUsed(input: unknown, output: unknown, inputDetails: unknown): Usage | undefined {
  if (!isCount(input) && !isCount(output)) return undefined;
  const cached = countIn(objectIn(inputDetails).cached_tokens);
  return {
    inputTokens: countIn(input),
    outputTokens: countIn(output),
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
  };
}

const MOST_TOKENS = 1e9;

/** What an upstream says is added to sums and budgets, which a negative or an endless number would undo. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= MOST_TOKENS;
}

export function countIn(value: unknown): number {
  return isCount(value) ? value : 0;
}

/** Details of details are counted; what is nested deeper is no count of anything. */
const MAX_DEPTH = 4;

/** Two usages in one: every number the sum of both, in its details too; what only one of them tells stays. */
export function sum(one: JsonObject, other: JsonObject, depth = 1): JsonObject {
  const total = new Map<string, unknown>(Object.entries(one));
  for (const [key, value] of Object.entries(other)) total.set(key, sumOf(total.get(key), value, depth));
  return Object.fromEntries(total);
}

function sumOf(one: unknown, other: unknown, depth: number): unknown {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (isObject(one) && isObject(other) && depth < MAX_DEPTH) return sum(one, other, depth + 1);
  return other ?? one;
}
