import { type EventMarks, type Slicer, type SseEvent, slicerBy, sseSlicer, sseText } from "../sse/sse.ts";
import { requestWork } from "../work.ts";
import { isObject, jsonValue } from "./json/json.ts";

export type StreamEvent = SseEvent;

export interface Framing {
  readonly contentType: string;
  carries(contentType: string): boolean;
  /** Whether a stream may begin with this text, which is not blank; undefined: more of it is to be seen. */
  begins(start: string): boolean | undefined;
  /** Cuts bytes behind each event. @param maxEventBytes longer events come in several slices, none of which has it */
  slicer(maxEventBytes: number): Slicer;
  /** @param place the events are the first ones of a stream, or the last: some framings have marks around them */
  write(events: readonly StreamEvent[], place: { readonly begins: boolean; readonly ends: boolean }): string;
}

export const MAX_EVENT = 1024 * 1024;

/** What has not shown itself by then is what it is announced as. In characters. */
const MAX_START = 64 * 1024;

/** By how it begins, since servers announce it as this and that; undefined as long as that cannot be seen. */
export function isStream(framing: Framing, contentType: string, start: string): boolean | undefined {
  const text = start.trimStart();
  const begins = text === "" ? undefined : framing.begins(text);
  if (begins === undefined && start.length < MAX_START) return undefined;
  return begins === true || (framing.carries(contentType) && !/^[{[]/.test(text));
}

const FIELD = /^(?:(?:data|event|id|retry)\s*:|:)/;

export const sse: Framing = {
  contentType: "text/event-stream; charset=utf-8",
  carries: (contentType) => contentType.toLowerCase().includes("event-stream"),
  begins(start) {
    if (FIELD.test(start)) return true;
    return ["data:", "event:", "id:", "retry:"].some((field) => field.startsWith(start)) ? undefined : false;
  },
  slicer: sseSlicer,
  write: (events) => events.map(sseText).join(""),
};

const UTF8 = new TextDecoder();
const LF = 10;

/** One JSON text a line, without names. A blank line says nothing. */
export const ndjson: Framing = {
  contentType: "application/x-ndjson",
  carries: (contentType) => contentType.toLowerCase().includes("ndjson"),
  begins(start) {
    if (!start.startsWith("{")) return false;
    const end = start.indexOf("\n");
    return end === -1 ? undefined : isObject(jsonValue(start.slice(0, end), requestWork()));
  },
  slicer: (maxEventBytes) => slicerBy({ ends: lineEnds, eventIn: lineIn, isComment: () => true }, maxEventBytes),
  write: (events) => events.map(({ data }) => `${data}\n`).join(""),
};

function lineEnds(bytes: Uint8Array): readonly number[] {
  const ends: number[] = [];
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, end + 1)) {
    while (bytes[end + 1] === LF) end += 1;
    ends.push(end + 1);
  }
  return ends;
}

function lineIn(bytes: Uint8Array): SseEvent | undefined {
  const data = UTF8.decode(bytes).trim();
  return data === "" ? undefined : { event: undefined, data };
}

/** Gemini's without `alt=sse`. An error may come as an object alone. A comma goes with what follows it. */
export const jsonArray: Framing = {
  contentType: "application/json; charset=UTF-8",
  carries: (contentType) => /^application\/json\b/i.test(contentType.trim()),
  begins: (start) => /^[[{]/.test(start),
  slicer: (maxEventBytes) =>
    slicerBy({ ends: elementEnds(), eventIn: elementIn, isComment: () => false }, maxEventBytes),
  write(events, { begins, ends }) {
    const before = begins ? "[" : events.length === 0 ? "" : ",\n";
    return `${before}${events.map(({ data }) => data).join(",\n")}${ends ? "]" : ""}`;
  },
};

function elementIn(slice: Uint8Array, isWhole: boolean): StreamEvent | undefined {
  return isWhole ? { event: undefined, data: UTF8.decode(slice.subarray(slice.indexOf(BRACE))) } : undefined;
}

const [QUOTE, BACKSLASH, BRACKET, CLOSING_BRACKET, BRACE, CLOSING_BRACE] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Finds where elements end in bytes, in whatever pieces they come. All that it looks for is ASCII, so no character is cut. */
function elementEnds(): EventMarks["ends"] {
  let depth = 0;
  let isList = false;
  let inString = false;
  let isEscaped = false;
  return (bytes) => {
    const ends: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (inString) {
        isEscaped = byte === BACKSLASH;
        inString = byte !== QUOTE;
      } else if (byte === QUOTE) inString = true;
      else if (byte === BRACE || byte === BRACKET) {
        if (depth === 0) isList = byte === BRACKET;
        depth++;
      } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
        depth = Math.max(0, depth - 1);
        if (byte === CLOSING_BRACE && depth === (isList ? 1 : 0)) ends.push(at + 1);
      }
    }
    return ends;
  };
}

const BROKEN = { type: "api_error", code: "upstream_broke_off", message: "The upstream broke its answer off." };

/** Ends a broken stream where the platform cannot abort the connection. SDKs throw at it: OpenAI's by its `error`, Anthropic's by its name. */
export function brokenOffEvent(contentType: string): string | undefined {
  // Line ends first: what was cut must not run into it.
  if (ndjson.carries(contentType)) return `\n${JSON.stringify({ error: BROKEN.message })}\n`;
  const data = JSON.stringify({ type: "error", error: BROKEN });
  return sse.carries(contentType) ? `\n\n${sseText({ event: "error", data })}` : undefined;
}
