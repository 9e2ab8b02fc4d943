import {
  endOfEvents,
  type SseEvent,
  type SseScanner,
  type SseSlice,
  type SseSlicer,
  sseScanner,
  sseSlicer,
  sseText,
  startOfLastEvents,
} from "../sse/sse.ts";
import { ndjson } from "./ndjson.ts";

/** One event of a streamed answer. Its name is undefined where the framing has none. */
export type StreamEvent = SseEvent;

/** One event and its very bytes. */
export type StreamSlice = SseSlice;

/** Where in a stream events are written: some framings have marks around the first and the last. */
export interface StreamPlace {
  readonly begins: boolean;
  readonly ends: boolean;
}

/** Framing of a streamed answer: how its events lie in its bytes. All else that is done with a stream is done over its events. */
export interface Framing {
  readonly contentType: string;
  /** Whether an answer that is announced as this is a stream of this framing. */
  carries(contentType: string): boolean;
  /** Reads events from bytes in whatever pieces they come. @param maxEventChars longer events end the reading */
  scanner(maxEventChars: number, tell: (event: SseEvent) => void): SseScanner;
  /** Cuts bytes behind each event. @param maxEventBytes longer events come in several slices, none of which has it */
  slicer(maxEventBytes: number): SseSlicer;
  write(events: readonly StreamEvent[], place: StreamPlace): string;
  /** Where the last whole event ends in these bytes of a stream, which are known to complete one. */
  endOfEvents(bytes: Uint8Array): number;
  /** Where the last `count` of the events begin that these bytes complete. */
  startOfLastEvents(bytes: Uint8Array, count: number): number;
  /** The text that ends a stream at any byte, with an error in it that clients throw at. */
  broken(failure: StreamFailure): string;
}

/** What broke a stream off. */
export interface StreamFailure {
  readonly type: "error";
  readonly error: { readonly type: string; readonly code: string; readonly message: string };
}

/** Server-sent events. */
export const sse: Framing = {
  contentType: "text/event-stream; charset=utf-8",
  carries: (contentType) => contentType.toLowerCase().includes("event-stream"),
  scanner: sseScanner,
  slicer: sseSlicer,
  write: (events) => events.map(sseText).join(""),
  endOfEvents,
  startOfLastEvents,
  // Two line ends first: what was cut must not run into it.
  broken: (failure) => `\n\n${sseText({ event: "error", data: JSON.stringify(failure) })}`,
};

/** Framings that a content type tells by itself: no whole answer is announced as one of these. */
export const framings: readonly Framing[] = [sse, ndjson];
