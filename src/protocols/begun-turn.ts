import { requestWork } from "../work.ts";
import { beginningOf, finalFormat, framedText } from "./dialects/dialects.ts";
import { type Framing, isStream } from "./framing.ts";
import { joinBytes } from "../text/bytes.ts";
import { isObject, type JsonObject, jsonText, jsonValue } from "./json/json.ts";
import type { ParsedRequest, StreamDecoder } from "./protocol.ts";

/** How the last answer to a request has to be, and how the model is brought to it. */
export interface LastForm {
  /** It is all of its message: nothing may stand before it. */
  readonly isWhole: boolean;
  /** What the model is told of it; undefined where any text is an end. */
  readonly note: string | undefined;
  /** Undefined unless the agent acts in text alone and any text in the frame of its form is an end. */
  readonly begun: BegunTurn | undefined;
}

interface BegunTurn {
  readonly beginning: string;
  /** The answer of a model that was to go on behind the beginning. */
  framed(text: string): string;
}

export function lastForm(request: ParsedRequest): LastForm {
  const format = finalFormat(request);
  const { kind } = format;
  if (kind !== "dialect") return { isWhole: kind !== "text", note: undefined, begun: undefined };
  const { dialect } = format;
  const isAlone = request.tools.length === 0 && !request.alternatives && request.previousAnswerId === undefined;
  const frame = isAlone ? dialect.frame?.(format) : undefined;
  // A model that acts all the same has not gone on behind the beginning.
  const acts = (text: string) => dialect.read(text, "answer", request.work) !== undefined;
  const framed = (text: string) => (frame === undefined || acts(text) ? text : framedText(frame, text));
  const begun = frame && { beginning: beginningOf(frame), framed };
  return { isWhole: dialect.isWhole === true, note: dialect.finishNote?.(format), begun };
}

/** An event is longer than any that a model makes. In bytes. */
const MAX_EVENT = 1024 * 1024;

export interface RetoldTerms {
  readonly framing: Framing;
  readonly contentType: string;
  /** An answer in one piece is read as the only event of its stream. */
  readonly decoder: StreamDecoder;
  /** Where an event has its text; `*` stands for each element of a list. */
  readonly places: readonly (readonly string[])[];
}

/** An answer, whole or streamed, with another text in the place of its own: in the first event that has one. */
export function retold(answer: Uint8Array, terms: RetoldTerms, change: (text: string) => string): Uint8Array {
  const { framing, contentType, decoder, places } = terms;
  const whole = new TextDecoder().decode(answer);
  const isStreamed = isStream(framing, contentType, whole) === true;
  const slicer = framing.slicer(MAX_EVENT);
  const slices = isStreamed
    ? [...slicer.push(answer), slicer.rest()]
    : [{ bytes: answer, event: { event: undefined, data: whole } }];
  const parts = slices.flatMap(({ event }) => (event && decoder.decode(event)) ?? []);
  const text = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
  let rest = change(text);
  if (rest === text) return answer;
  const put = (): string => {
    const now = rest;
    rest = "";
    return now;
  };
  const encoder = new TextEncoder();
  const pieces = slices.map(({ bytes, event }) => {
    const told = event && jsonValue(event.data, requestWork());
    const changed = isObject(told) ? places.reduce<unknown>((at, path) => changedAt(at, path, put), told) : told;
    const data = changed === told ? undefined : jsonText(changed);
    if (event === undefined || data === undefined) return bytes;
    return encoder.encode(isStreamed ? framing.write([{ ...event, data }], { begins: false, ends: false }) : data);
  });
  return joinBytes(pieces);
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
  return inner === value[name] ? value : { ...(value as JsonObject), [name]: inner };
}
