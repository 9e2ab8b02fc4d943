import type {
  Change,
  ExchangeOutcome,
  Interception,
  Observed,
  OwnAnswer,
  RequestContext,
} from "../../evaluation/evaluation.ts";
import {
  lastForm,
  type ParsedRequest,
  type StreamSegment,
  type StreamSplitter,
  type StreamState,
} from "../../protocols/protocols.ts";
import { isReadable, withoutLength } from "../relay/observe.ts";
import { joinBytes } from "../../text/bytes.ts";
import type { AnswerSink, Fields, Signal } from "../../transport/transport.ts";

/** Settings of the holdback buffer for one answer. */
export interface HoldbackTerms {
  /** Splits the answer if it is a stream; must not have been used. */
  readonly stream: StreamSplitter;
  /** Only calls of these tools are kept back; undefined: calls of any. */
  readonly candidates: Pick<ReadonlySet<string>, "has"> | undefined;
  /**
   * The kept answer that this one may take the place of. Then it may turn out to be none: nothing but its words goes
   * through before its end, and nothing at all of an error or another sort of answer than the kept one is.
   */
  readonly insteadOf?: HeldAnswer;
}

/** An answer that has ended upstream, and of which the reader has not seen the end. */
export interface HeldAnswer {
  readonly status: number;
  readonly fields: Fields;
  /** Bytes that the client has not received. */
  readonly bytes: Uint8Array;
  /** The reader has a head, and what was said before the calls. */
  readonly seen: boolean;
  /** Progress of the answer, if it is a stream. */
  readonly stream: HeldStream | undefined;
}

/**
 * Passes an answer on, but for what could complete a loop: a stream from its first such call on, a whole answer altogether.
 * What is kept stands in `held` once the answer has ended; it must then be passed on or replaced.
 */
export interface Holdback extends AnswerSink {
  /** Undefined as long as the answer goes on, and if all of it has gone through. */
  held(): HeldAnswer | undefined;
  /** Nothing is kept back any more: the reader sees how it ends. */
  isOpen(): boolean;
  /** The reader has a head, from this answer or the one before. */
  seen(): boolean;
  /** A stream as far as its reader has it, this answer or the one before; undefined if it has nothing. */
  state(): StreamState | undefined;
}

export function holdback(reader: AnswerSink, { stream, candidates, insteadOf }: HoldbackTerms): Holdback {
  let head: { readonly status: number; readonly fields: Fields } = { status: 0, fields: {} };
  let flow: Flow = insteadOf === undefined ? passing((bytes) => reader.write(bytes)) : dropped;
  let held: HeldAnswer | undefined;
  let seen = insteadOf?.seen ?? false;

  function letHeadThrough(): void {
    if (!seen) reader.head(head.status, head.fields);
    seen = true;
  }
  const pass = (bytes: Uint8Array): Promise<void> | undefined => {
    letHeadThrough();
    return bytes.length === 0 ? undefined : reader.write(bytes);
  };

  const terms = { tentative: insteadOf !== undefined, state: insteadOf?.stream?.state, hasHead: () => seen };

  function flowFor(streams: boolean): Flow {
    // What is said instead of a call makes a stream longer or shorter than it was to be.
    if (streams) head = { ...head, fields: withoutLength(head.fields) };
    if (insteadOf !== undefined && streams !== (insteadOf.stream !== undefined)) return dropped;
    return streams ? streamed({ stream, candidates, ...terms }, pass) : heldWhole(pass);
  }

  return {
    head(status, fields) {
      head = { status, fields };
      const type = String(fields["content-type"] ?? "");
      if (isReadable(status, fields)) flow = recognised((start) => stream.recognises(type, start), flowFor);
      else if (insteadOf === undefined) letHeadThrough();
    },
    write: (bytes) => flow.write(bytes),
    end() {
      const rest = flow.end();
      if (rest !== undefined) held = { ...rest, ...head, seen };
      else if (flow.isOpen()) {
        letHeadThrough();
        reader.end();
      }
    },
    fail(reason) {
      if (insteadOf !== undefined && !flow.isOpen()) return;
      // A broken answer goes to the reader as it came, as if there were no guard.
      void flow.open();
      reader.fail(reason);
    },
    held: () => held,
    isOpen: () => flow.isOpen(),
    seen: () => seen,
    state: () => flow.state() ?? insteadOf?.stream?.state,
  };
}

/** Context for intercepting an answer. */
export interface InterceptContext extends Interception {
  readonly context: RequestContext;
  /**
   * One request upstream, its answer to `reader`. Rejects if no answer ever began.
   * @param change undefined: as the request came
   */
  readonly ask: (change: Change | undefined, reader: AnswerSink) => Promise<Observed>;
  /** Undefined where it rejects. */
  readonly attempt: <T>(run: () => Promise<T>) => Promise<T | undefined>;
  /** Where an operator has ended the session while the answer was kept. */
  readonly containedAnswer: () => OwnAnswer | undefined;
  /** Aborted when the client hangs up. */
  readonly gone: Signal;
  /** Told what is done about the answer, before its reader sees any of that. */
  readonly report: (outcome: Pick<ExchangeOutcome, "intervention" | "contained">) => void;
  /** Saves how it went, once; what is not saved here is saved behind the last byte. */
  readonly save: (outcome: ExchangeOutcome) => Promise<void>;
}

/**
 * What is said may not go through before it is known what follows: it may be what is done, or it has to be one text of a
 * demanded form, which words before a call that was kept back would spoil.
 */
export function mustBufferText(request: ParsedRequest): boolean {
  return request.hasTextActions || lastForm(request).isWhole;
}

/** An answer that its reader does not have yet. */
export interface HeldExchange {
  readonly held: HeldAnswer;
  readonly observed: Observed;
}

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

/** An answer whose beginning shows what it is. @param recognises undefined: more of it is to be seen */
function recognised(recognises: (start: string) => boolean | undefined, flowFor: (streams: boolean) => Flow): Flow {
  let start: Uint8Array[] = [];
  let flow: Flow | undefined;
  const decided = (streams = false): Flow => {
    flow ??= flowFor(streams);
    void flow.write(joinBytes(start));
    start = [];
    return flow;
  };
  return {
    write(bytes) {
      if (flow !== undefined) return flow.write(bytes);
      start.push(bytes);
      const streams = recognises(new TextDecoder().decode(joinBytes(start)));
      if (streams === undefined) return undefined;
      flow = flowFor(streams);
      return flow.write(joinBytes(start));
    },
    open: () => (flow ?? decided()).open(),
    isOpen: () => flow?.isOpen() === true,
    end: () => (flow ?? decided()).end(),
    state: () => flow?.state(),
  };
}

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
  readonly candidates: Pick<ReadonlySet<string>, "has"> | undefined;
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
