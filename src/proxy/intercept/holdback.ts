import { finalFormat, type ParsedRequest, type StreamSplitter, type StreamState } from "../../protocols/protocols.ts";
import type { AnswerSink, Fields, Signal } from "../../transport/transport.ts";
import { dropped, type Flow, type HeldStream, heldWhole, passing, streamed } from "./holdback-flow.ts";
import { isReadable, withoutLength } from "../relay/observe.ts";
import type {
  Change,
  ExchangeOutcome,
  Interception,
  Observed,
  OwnAnswer,
  RequestContext,
} from "../../evaluation/evaluation.ts";

/** Settings of the holdback buffer for one answer. */
export interface HoldbackTerms {
  /** Splits the answer if it is a stream; must not have been used. */
  readonly stream: StreamSplitter;
  /** Only calls of these tools are kept back; undefined: calls of any. */
  readonly candidates: ReadonlySet<string> | undefined;
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

  return {
    head(status, fields) {
      const streams = stream.carries(String(fields["content-type"] ?? ""));
      // What is said instead of a call makes a stream longer or shorter than it was to be.
      head = { status, fields: streams ? withoutLength(fields) : fields };
      if (insteadOf !== undefined && streams !== (insteadOf.stream !== undefined)) return;
      if (isReadable(status, fields))
        flow = streams ? streamed({ stream, candidates, ...terms }, pass) : heldWhole(pass);
      else if (insteadOf === undefined) {
        head = { status, fields };
        letHeadThrough();
      }
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
  const format = finalFormat(request);
  const isWhole = format.kind === "dialect" && format.dialect.isWhole === true;
  return request.hasTextActions || isWhole || format.kind === "schema" || format.kind === "json";
}

/** An answer that its reader does not have yet. */
export interface HeldExchange {
  readonly held: HeldAnswer;
  readonly observed: Observed;
}
