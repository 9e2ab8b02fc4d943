import { joinBytes } from "../../text/bytes.ts";
import type { Slice } from "../../sse/sse.ts";
import { isStream, MAX_EVENT } from "../framing.ts";
import type { StreamDecoder, StreamPart } from "../protocol.ts";

export interface StreamSegment {
  readonly bytes: Uint8Array;
  /** `thought`: what may not stand without what follows; `keepalive`: nothing, at any place; `frame`: the rest. */
  readonly kind: "calls" | "words" | "thought" | "keepalive" | "frame";
  readonly tools: readonly string[];
  readonly says?: boolean;
  readonly ends?: boolean;
}

export type StreamSplitter = ReturnType<typeof splitStream>;

type Take = (segment: StreamSegment) => void;

/** Splits a streamed answer behind each event. @param wordsAct what is said may be what is done, or has to be the whole of one form */
export function splitStream(decoder: StreamDecoder, wordsAct: boolean) {
  const { framing } = decoder;
  const slicer = framing.slicer(MAX_EVENT);
  let { hasBegun } = decoder;
  let thinks = false;
  const naming = pendingName();
  /** Calls that the API carries out itself: whatever else is done, these have been. */
  const hosted = new Set<number>();

  /** @param isOpen the event lacks its end, which is to be written if it is whole but for that */
  function segmentOf({ bytes, event, isComment }: Slice, isOpen = false): StreamSegment {
    if (event === undefined) return { bytes, kind: isComment ? "keepalive" : "frame", tools: [] };
    const decoded = decoder.decode(event);
    const parts = decoded?.parts ?? [];
    // Half an event stays as it is: with an end it would be one that nobody can read.
    const written = decoded?.events ?? (isOpen && decoded !== undefined ? [event] : undefined);
    const body =
      written === undefined ? bytes : UTF8.encode(framing.write(written, { begins: !hasBegun, ends: false }));
    hasBegun ||= body.length > 0;
    for (const part of parts) if (part.kind === "call-start" && part.isHosted) hosted.add(part.call);
    const acts = parts.some((part) => "call" in part && !hosted.has(part.call));
    const kind = acts ? "calls" : kindIn(parts, wordsAct);
    const words = parts.flatMap((part) => (part.kind === "text" || part.kind === "refusal" ? [part.text] : []));
    if (kind === "thought") thinks = true;
    else if (kind === "calls" || words.length > 0) thinks = false;
    return {
      bytes: body,
      kind: thinks && kind === "words" ? "thought" : kind,
      tools: parts.flatMap(naming),
      says: words.some((text) => /\S/.test(text)),
      ends: parts.some((part) => part.kind === "finish" || part.kind === "end"),
    };
  }

  return {
    recognises: (contentType: string, start: string) => isStream(framing, contentType, start),
    /** Gives each segment before the next one is read, so that `state` is that behind it. */
    push(bytes: Uint8Array, take: Take): void {
      for (const slice of slicer.push(bytes)) take(segmentOf(slice));
    },
    rest(take: Take): void {
      const last = slicer.rest();
      if (last.bytes.length > 0) take(segmentOf(last, decoder.continues));
    },
    state: () => decoder.state(),
  };
}

export function segmentBytes(stream: StreamSplitter, bytes: Uint8Array): Uint8Array {
  const segments: Uint8Array[] = [];
  const take = (segment: StreamSegment) => void segments.push(segment.bytes);
  stream.push(bytes, take);
  stream.rest(take);
  return joinBytes(segments);
}

const UTF8 = new TextEncoder();

/** A tool is named once its name is whole: a stream may tell it in pieces. What the API carries out itself is no tool of the client's. */
function pendingName(): (part: StreamPart) => readonly string[] {
  let pending: Extract<StreamPart, { readonly kind: "call-start" }> | undefined;
  return (part) => {
    if (part.kind === "usage" || part.kind === "keepalive") return [];
    const whole = part.kind === "call-start" && part.call === pending?.call ? undefined : pending;
    pending = part.kind === "call-start" && part.isHosted !== true ? part : undefined;
    return whole === undefined || whole.tool === "" ? [] : [whole.tool];
  };
}

function kindIn(parts: readonly StreamPart[], wordsAct: boolean): StreamSegment["kind"] {
  const has = (...kinds: readonly StreamPart["kind"][]) => parts.some(({ kind }) => kinds.includes(kind));
  if (wordsAct && has("text")) return "calls";
  if (has("thought")) return "thought";
  if (has("text", "reasoning", "refusal", "call-start", "call-args", "call-result")) return "words";
  return parts.length > 0 && parts.every(({ kind }) => kind === "keepalive") ? "keepalive" : "frame";
}
