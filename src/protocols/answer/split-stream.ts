import { joinBytes } from "../../text/bytes.ts";
import type { StreamSlice } from "../framing.ts";
import type { StreamDecoder, StreamPart, StreamState } from "../protocol.ts";

/** The bytes of one event, which pass whole or not at all. */
export interface StreamSegment {
  readonly bytes: Uint8Array;
  /**
   * `calls`: it tells what the assistant does; `words`: what it says or thinks; `thought`: what it thinks, where that may not
   * stand without what follows; `keepalive`: nothing, at any place; `frame`: the rest.
   */
  readonly kind: "calls" | "words" | "thought" | "keepalive" | "frame";
  /** The tools whose calls begin in it. */
  readonly tools: readonly string[];
  /** It has words for its reader, and not only blanks. */
  readonly says?: boolean;
  /** It tells why the answer ends, or that it has ended. */
  readonly ends?: boolean;
}

/** Splits a streamed answer behind each event; the segments joined are the stream, or what an encoder makes of it. */
export interface StreamSplitter {
  /** Whether an answer that is announced as this is such a stream. */
  carries(contentType: string): boolean;
  /** Gives each segment before the next one is read, so that `state` is that behind it. */
  push(bytes: Uint8Array, take: (segment: StreamSegment) => void): void;
  /** The same with what has come since the last whole event. */
  rest(take: (segment: StreamSegment) => void): void;
  state(): StreamState;
}

/** An event that says more than this at once is not understood. In bytes. */
const MAX_EVENT = 1024 * 1024;

/** @param wordsAct what is said may be what is done, or has to be the whole of one form: words count as calls */
export function splitStream(decoder: StreamDecoder, wordsAct: boolean): StreamSplitter {
  const { framing } = decoder;
  const slicer = framing.slicer(MAX_EVENT);
  let { hasBegun } = decoder;
  let thinks = false;

  /** @param isOpen the event lacks its end, which is to be written if it is whole but for that */
  function segmentOf({ bytes, event, isComment }: StreamSlice, isOpen = false): StreamSegment {
    if (event === undefined) return { bytes, kind: isComment ? "keepalive" : "frame", tools: [] };
    const encoded = decoder.encode(event);
    const decoded = (encoded ?? [event]).map((one) => decoder.decode(one));
    const parts = decoded.flatMap((one) => one ?? []);
    // Half an event stays as it is: with an end it would be one that nobody can read.
    const written = encoded ?? (isOpen && decoded[0] !== undefined ? [event] : undefined);
    const body =
      written === undefined
        ? bytes
        : new TextEncoder().encode(framing.write(written, { begins: !hasBegun, ends: false }));
    hasBegun ||= body.length > 0;
    const { kind, tools } = classified(parts, wordsAct);
    if (kind === "thought") thinks = true;
    else if (kind === "calls" || parts.some(isSaid)) thinks = false;
    return {
      bytes: body,
      kind: thinks && kind === "words" ? "thought" : kind,
      tools,
      says: parts.some((part) => isSaid(part) && /\S/.test(part.text)),
      ends: parts.some((part) => part.kind === "finish" || part.kind === "end"),
    };
  }

  return {
    carries: framing.carries,
    push(bytes, take) {
      for (const slice of slicer.push(bytes)) take(segmentOf(slice));
    },
    rest(take) {
      const last = slicer.rest();
      if (last.bytes.length > 0) take(segmentOf(last, decoder.continues));
    },
    state: () => decoder.state(),
  };
}

/** The bytes of a whole stream, as a splitter that has not been used makes them. */
export function segmentBytes(stream: StreamSplitter, bytes: Uint8Array): Uint8Array {
  const segments: Uint8Array[] = [];
  const take = (segment: StreamSegment): void => {
    segments.push(segment.bytes);
  };
  stream.push(bytes, take);
  stream.rest(take);
  return joinBytes(segments);
}

/** Its reader reads it, and not only that it was thought. */
function isSaid(part: StreamPart): part is Extract<StreamPart, { readonly kind: "text" | "refusal" | "reasoning" }> {
  return part.kind === "text" || part.kind === "refusal";
}

function classified(parts: readonly StreamPart[], wordsAct: boolean): Pick<StreamSegment, "kind" | "tools"> {
  const tools = parts.flatMap((part) => (part.kind === "call-start" && part.tool !== "" ? [part.tool] : []));
  const has = (...kinds: readonly StreamPart["kind"][]) => parts.some(({ kind }) => kinds.includes(kind));
  if (has("call-start", "call-args", "call-result") || (wordsAct && has("text"))) return { kind: "calls", tools };
  if (has("thought")) return { kind: "thought", tools };
  if (has("text", "reasoning", "refusal")) return { kind: "words", tools };
  return { kind: parts.length > 0 && parts.every(({ kind }) => kind === "keepalive") ? "keepalive" : "frame", tools };
}
