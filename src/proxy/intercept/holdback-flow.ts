import type { Begun, StreamSegment, SplitStream } from "../../protocols/protocols.ts";
import { joinBytes } from "../../sse.ts";

/** What is kept back of one answer at most; a longer one goes through. In bytes. */
const MAX_HELD = 1024 * 1024;

/** What becomes of an answer's bytes. */
export interface Flow {
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Lets go of what is kept and keeps nothing more. */
  open(): Promise<void> | undefined;
  isOpen(): boolean;
  /** What is still kept; undefined if nothing is. */
  end(): { readonly bytes: Uint8Array; readonly begun: Begun | undefined } | undefined;
}

type Pass = (bytes: Uint8Array) => Promise<void> | undefined;

/** All goes through. */
export function passing(pass: Pass): Flow {
  return { write: pass, open: () => undefined, isOpen: () => true, end: () => undefined };
}

/** Nothing goes through, and nothing is kept. */
export const dropped: Flow = {
  write: () => undefined,
  open: () => undefined,
  isOpen: () => false,
  end: () => undefined,
};

/** An answer in one piece: nothing of it can be of use before its end. */
export function whole(pass: Pass): Flow {
  const kept = keeper();
  let isOpen = false;
  const open = () => {
    isOpen = true;
    return pass(kept.take());
  };
  return {
    write: (bytes) => (isOpen ? pass(bytes) : kept.add(bytes) ? undefined : open()),
    open,
    isOpen: () => isOpen,
    end: () => (isOpen ? undefined : { bytes: kept.take(), begun: undefined }),
  };
}

interface StreamTerms {
  readonly pieces: SplitStream;
  /** Only calls of these tools are kept back; undefined: calls of any. */
  readonly candidates: ReadonlySet<string> | undefined;
  /** Until its end it may be no answer: then only its words are of use, and what comes before them. */
  readonly tentative: boolean;
}

/** A stream: words go through at once, and what frames them with them; from the first suspicious call on it is kept. */
export function streamed({ pieces, candidates, tentative }: StreamTerms, pass: Pass): Flow {
  const kept = keeper();
  let state: "silent" | "speaking" | "acting" | "open" = "silent";

  const isSuspect = ({ tools }: StreamSegment) =>
    candidates === undefined || tools.every((tool) => candidates.has(tool));

  function take(piece: StreamSegment): Promise<void> | undefined {
    if (state === "open") return pass(piece.bytes);
    const fits = kept.add(piece.bytes);
    if (!fits || !isSuspect(piece)) state = "open";
    else if (piece.kind === "calls") state = "acting";
    else if (piece.kind === "words" && state === "silent") state = "speaking";
    const goesOn = state === "open" || (state === "speaking" && (piece.kind === "words" || !tentative));
    return goesOn ? pass(kept.take()) : undefined;
  }

  function open(): Promise<void> | undefined {
    state = "open";
    return lastOf([kept.take(), ...pieces.rest().map(({ bytes }) => bytes)].map(pass));
  }

  return {
    write: (bytes) => lastOf(pieces.push(bytes).map(take)),
    open,
    isOpen: () => state === "open",
    end() {
      for (const piece of pieces.rest()) void take(piece);
      if (state === "acting" || (tentative && state !== "open")) return { bytes: kept.take(), begun: pieces.begun() };
      void open();
      return undefined;
    },
  };
}

/** A reader that wants time wants it before the next piece, whichever of these it was that it is still at. */
function lastOf(waits: readonly (Promise<void> | undefined)[]): Promise<void> | undefined {
  return waits.findLast((wait) => wait !== undefined);
}

interface HoldbackBuffer {
  /** False: this was more than is kept. */
  add(bytes: Uint8Array): boolean;
  take(): Uint8Array;
}

function keeper(): HoldbackBuffer {
  let kept: Uint8Array[] = [];
  let size = 0;
  return {
    add(bytes) {
      kept.push(bytes);
      size += bytes.length;
      return size <= MAX_HELD;
    },
    take() {
      const all = joinBytes(kept);
      kept = [];
      size = 0;
      return all;
    },
  };
}
