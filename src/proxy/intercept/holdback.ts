import type { StreamSegment, StreamSplitter, StreamState } from "../../protocols/protocols.ts";
import { isReadable, withoutLength } from "../relay/ask-upstream.ts";
import { joinBytes } from "../../text/bytes.ts";
import type { AnswerSink, Fields } from "../../transport/transport.ts";

export interface HoldbackTerms {
  /** Splits the answer if it is a stream; must not have been used. */
  readonly stream: StreamSplitter;
  /** Only calls of these tools are kept back; undefined: calls of any. */
  readonly candidates: Pick<ReadonlySet<string>, "has"> | undefined;
  /** The kept answer that this one may take the place of: until it has ended its words alone go through, and nothing of another sort of answer. */
  readonly insteadOf?: HeldAnswer;
}

/** An answer that has ended upstream, and of which the reader has not seen the end. */
export interface HeldAnswer {
  readonly status: number;
  readonly fields: Fields;
  readonly bytes: Uint8Array;
  /** The reader has a head, and what was said before the calls. */
  readonly seen: boolean;
  /** Of a stream: its state up to what the client has received, if anything, and at its end. */
  readonly stream: { readonly state: StreamState | undefined; readonly whole: StreamState } | undefined;
}

/** Most bytes of one answer that are held back; a longer answer goes through. */
const MAX_HELD = 1024 * 1024;

/**
 * Passes an answer on, but for what could complete a loop: a stream from its first such call on, a whole answer altogether.
 * What is kept stands in `held` once the answer has ended; it must then be passed on or replaced.
 * Words of a stream go through at once, and what frames them with them; from the first suspicious call on it is kept, and its end
 * where nothing was said before that. What only keeps the connection alive is not, once there is a head or it has come before: the
 * first of it alone gives no reason to give away an answer that may be replaced.
 */
export function holdback(reader: AnswerSink, { stream, candidates, insteadOf }: HoldbackTerms) {
  const isTentative = insteadOf !== undefined;
  let head: { readonly status: number; readonly fields: Fields } = { status: 0, fields: {} };
  let seen = insteadOf?.seen ?? false;
  /** `unknown`: what has come does not show yet what it is. `dropped`: it is of no use. */
  let state: "unknown" | "silent" | "speaking" | "acting" | "open" | "dropped" = isTentative ? "dropped" : "open";
  let isStream = false;
  let streamState = insteadOf?.stream?.state;
  let hasSaid = false;
  /** It ends although nothing was said. */
  let endsUnsaid = false;
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  let held: HeldAnswer | undefined;
  let isSlow = false;

  function pass(bytes: Uint8Array): Promise<void> | undefined {
    if (!seen && head.status !== 0) {
      seen = true;
      reader.head(head.status, head.fields);
    }
    return bytes.length === 0 ? undefined : reader.write(bytes);
  }

  function keep(bytes: Uint8Array): void {
    kept.push(bytes);
    keptBytes += bytes.length;
  }

  function taken(): Uint8Array {
    const all = joinBytes(kept);
    kept = [];
    keptBytes = 0;
    return all;
  }

  function begin(streams: boolean): void {
    isStream = streams;
    state = isTentative && streams !== (insteadOf.stream !== undefined) ? "dropped" : "silent";
    // What is said instead of a call makes a stream longer or shorter than it was to be.
    if (streams) head = { ...head, fields: withoutLength(head.fields) };
  }

  /** An answer in one piece is like one call: nothing of it can be of use before its end. */
  function push(bytes: Uint8Array): Promise<void> | undefined {
    if (state === "dropped") return undefined;
    if (!isStream) return take({ bytes, kind: "calls", tools: [] });
    // A reader that wants time wants it before the next piece, whichever of these it was that it is still at.
    let wait: Promise<void> | undefined;
    stream.push(bytes, (segment) => {
      wait = take(segment) ?? wait;
    });
    return wait;
  }

  function take(segment: StreamSegment): Promise<void> | undefined {
    // The first of them, where it was kept alone, goes before the second.
    if (segment.kind === "keepalive" && isSlow && !seen && kept.length === 1) void pass(taken());
    if (state === "open" || (segment.kind === "keepalive" && (seen || isSlow))) return pass(segment.bytes);
    if (segment.kind === "keepalive") isSlow = !isTentative;
    const isSuspect = candidates === undefined || segment.tools.every((tool) => candidates.has(tool));
    keep(segment.bytes);
    if (keptBytes > MAX_HELD || !isSuspect) state = "open";
    else if (segment.kind === "calls") state = "acting";
    else if (segment.kind === "words" && state === "silent") state = "speaking";
    // It goes with what it leads to, whether that is let go or not.
    else if (segment.kind === "thought" && state === "speaking") state = "silent";
    hasSaid ||= segment.says === true;
    endsUnsaid = (endsUnsaid || segment.ends === true) && !hasSaid;
    const isSpeaking = state === "speaking" && !endsUnsaid;
    if (state !== "open" && !(isSpeaking && (segment.kind === "words" || !isTentative))) return undefined;
    if (isStream) streamState = stream.state();
    return pass(taken());
  }

  function open(): void {
    if (state === "unknown") beginUnknown();
    state = "open";
    void pass(taken());
    if (isStream) stream.rest((segment) => void pass(segment.bytes));
  }

  function beginUnknown(): void {
    begin(false);
    void push(taken());
  }

  const sink: AnswerSink = {
    head(status, fields) {
      head = { status, fields };
      if (isReadable(status, fields)) state = "unknown";
      else if (!isTentative) void pass(new Uint8Array());
    },
    write(bytes) {
      if (state !== "unknown") return push(bytes);
      keep(bytes);
      const start = joinBytes(kept);
      const streams = stream.recognises(String(head.fields["content-type"] ?? ""), new TextDecoder().decode(start));
      if (streams === undefined) return undefined;
      begin(streams);
      return push(taken());
    },
    end() {
      if (state === "unknown") beginUnknown();
      if (state === "dropped") return;
      // An event that lacks its end is nothing that another stream could go on behind.
      const isPartial = isTentative && state !== "open";
      if (isStream) stream.rest((segment) => void (isPartial ? keep(segment.bytes) : take(segment)));
      if (state === "acting" || (state !== "open" && (isTentative || endsUnsaid))) {
        const progress = isStream ? { state: streamState, whole: stream.state() } : undefined;
        held = { ...head, bytes: taken(), seen, stream: progress };
        return;
      }
      open();
      reader.end();
    },
    fail(reason) {
      if (isTentative && state !== "open") return;
      // A broken answer goes to the reader as it came, as if there were no guard.
      open();
      reader.fail(reason);
    },
  };
  return {
    ...sink,
    held: () => held,
    /** Nothing is kept back any more: the reader sees how it ends. */
    isOpen: () => state === "open",
    /** Of a stream as far as its reader has it, this answer or the one before. */
    state: () => streamState,
  };
}
