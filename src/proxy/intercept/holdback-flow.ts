import type { StreamSegment, StreamSplitter, StreamState } from "../../protocols/protocols.ts";
import { joinBytes } from "../../text/bytes.ts";

/** Most bytes of one answer that are held back; a longer answer goes through. */
const MAX_HELD = 1024 * 1024;

/** Flow of an answer's bytes: to the client, or held back. */
export interface Flow {
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Lets go of what is kept and keeps nothing more. */
  open(): Promise<void> | undefined;
  isOpen(): boolean;
  /** Bytes that are still held back; undefined if there are none. */
  end(): { readonly bytes: Uint8Array; readonly stream: HeldStream | undefined } | undefined;
  /** A stream as far as its reader has it; undefined if it has nothing. */
  state(): StreamState | undefined;
}

/** Progress of a stream that is held back. */
export interface HeldStream {
  /** State up to what the client has received; undefined if it has received nothing. */
  readonly state: StreamState | undefined;
  readonly whole: StreamState;
}

type Pass = (bytes: Uint8Array) => Promise<void> | undefined;

/** All goes through. */
export function passing(pass: Pass): Flow {
  return { write: pass, open: () => undefined, isOpen: () => true, end: () => undefined, state: () => undefined };
}

/** Nothing goes through, and nothing is kept. */
export const dropped: Flow = {
  write: () => undefined,
  open: () => undefined,
  isOpen: () => false,
  end: () => undefined,
  state: () => undefined,
};

/** An answer in one piece: nothing of it can be of use before its end. */
export function heldWhole(pass: Pass): Flow {
  const buffer = keeper();
  let isOpen = false;
  const open = () => {
    isOpen = true;
    return pass(buffer.take());
  };
  return {
    write: (bytes) => (isOpen ? pass(bytes) : buffer.add(bytes) ? undefined : open()),
    open,
    isOpen: () => isOpen,
    end: () => (isOpen ? undefined : { bytes: buffer.take(), stream: undefined }),
    state: () => undefined,
  };
}

interface StreamTerms {
  readonly stream: StreamSplitter;
  /** Only calls of these tools are kept back; undefined: calls of any. */
  readonly candidates: ReadonlySet<string> | undefined;
  /** Until its end it may be no answer: then only its words are of use, and what comes before them. */
  readonly tentative: boolean;
  /** State of the earlier stream that this one continues, as far as the client has received it. */
  readonly state: StreamState | undefined;
  /** Its reader has a head. */
  readonly hasHead: () => boolean;
}

/**
 * A stream: words go through at once, and what frames them with them; from the first suspicious call on it is kept, and its end
 * where nothing was said before that. What only keeps the connection alive is not, once there is a head: before that it would give away an answer that may be replaced.
 */
export function streamed({ stream, candidates, tentative, hasHead, ...terms }: StreamTerms, pass: Pass): Flow {
  const buffer = keeper();
  let { state: streamState } = terms;
  let state: "silent" | "speaking" | "acting" | "open" = "silent";
  let hasSaid = false;
  /** It ends although nothing was said. */
  let endsUnsaid = false;

  const isSuspect = ({ tools }: StreamSegment) =>
    candidates === undefined || tools.every((tool) => candidates.has(tool));

  function take(segment: StreamSegment): Promise<void> | undefined {
    if (state === "open" || (segment.kind === "keepalive" && hasHead())) return pass(segment.bytes);
    const fits = buffer.add(segment.bytes);
    if (!fits || !isSuspect(segment)) state = "open";
    else if (segment.kind === "calls") state = "acting";
    else if (segment.kind === "words" && state === "silent") state = "speaking";
    // It goes with what it leads to, whether that is let go or not.
    else if (segment.kind === "thought" && state === "speaking") state = "silent";
    hasSaid ||= segment.says === true;
    endsUnsaid = (endsUnsaid || segment.ends === true) && !hasSaid;
    const isSpeaking = state === "speaking" && !endsUnsaid;
    const goesOn = state === "open" || (isSpeaking && (segment.kind === "words" || !tentative));
    if (!goesOn) return undefined;
    streamState = stream.state();
    return pass(buffer.take());
  }

  function open(): Promise<void> | undefined {
    state = "open";
    return latest(pass(buffer.take()), (wait) => stream.rest((segment) => wait(pass(segment.bytes))));
  }

  return {
    write: (bytes) => latest(undefined, (wait) => stream.push(bytes, (segment) => wait(take(segment)))),
    open,
    isOpen: () => state === "open",
    end() {
      // An event that lacks its end is nothing that another stream could go on behind.
      const isPartial = tentative && state !== "open";
      stream.rest((segment) => void (isPartial ? buffer.add(segment.bytes) : take(segment)));
      if (state === "acting" || (state !== "open" && (tentative || endsUnsaid)))
        return { bytes: buffer.take(), stream: { state: streamState, whole: stream.state() } };
      void open();
      return undefined;
    },
    state: () => streamState,
  };
}

type Wait = Promise<void> | undefined;

/** A reader that wants time wants it before the next piece, whichever of these it was that it is still at. */
function latest(first: Wait, run: (add: (wait: Wait) => void) => void): Wait {
  let last = first;
  run((wait) => {
    last = wait ?? last;
  });
  return last;
}

interface HoldbackBuffer {
  /** False: this was more than is kept. */
  add(bytes: Uint8Array): boolean;
  take(): Uint8Array;
}

function keeper(): HoldbackBuffer {
  let pieces: Uint8Array[] = [];
  let size = 0;
  return {
    add(bytes) {
      pieces.push(bytes);
      size += bytes.length;
      return size <= MAX_HELD;
    },
    take() {
      const all = joinBytes(pieces);
      pieces = [];
      size = 0;
      return all;
    },
  };
}
