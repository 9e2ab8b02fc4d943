import { joinBytes } from "../text/bytes.ts";
import type { SseEvent } from "./sse.ts";

/** One event and its very bytes, with all that stands between it and the event before. */
export interface SseSlice {
  readonly bytes: Uint8Array;
  /** Undefined for a comment, a stray blank line, or a piece of an event that is too long. */
  readonly event: SseEvent | undefined;
  /** Only a comment, as servers send to keep a connection alive. */
  readonly isComment: boolean;
}

/** Cuts a stream behind each event; the slices joined are the stream. */
export interface SseSlicer {
  push(bytes: Uint8Array): SseSlice[];
  /** What has come since the last slice, with its event if that only lacks its end. */
  rest(): SseSlice;
}

/** How the events of one stream lie in its bytes. */
export interface EventMarks {
  /** Where events end in these bytes, which go on from those before. */
  ends(bytes: Uint8Array): readonly number[];
  /** @param isWhole their end has come, too */
  eventIn(slice: Uint8Array, isWhole: boolean): SseEvent | undefined;
  /** Asked about whole slices without an event. */
  isComment(slice: Uint8Array): boolean;
}

/** An event longer than `maxEventBytes` comes in several slices, none of which has it. */
export function slicerBy({ ends, eventIn, isComment }: EventMarks, maxEventBytes: number): SseSlicer {
  let pieces: Uint8Array[] = [];
  let keptBytes = 0;
  /** The beginning of the next slice's event was given away already. */
  let isCut = false;

  function keep(bytes: Uint8Array): void {
    if (bytes.length > 0) pieces.push(bytes);
    keptBytes += bytes.length;
  }

  function take(isWhole: boolean): SseSlice {
    const bytes = joinBytes(pieces);
    const event = isCut ? undefined : eventIn(bytes, isWhole);
    // What has not ended may turn out to be anything.
    const maySay = isCut || !isWhole || event !== undefined;
    isCut = !isWhole && bytes.length > 0;
    pieces = [];
    keptBytes = 0;
    return { bytes, event, isComment: !maySay && isComment(bytes) };
  }

  return {
    push(bytes) {
      const slices: SseSlice[] = [];
      let from = 0;
      for (const end of ends(bytes)) {
        keep(bytes.subarray(from, end));
        slices.push(take(true));
        from = end;
      }
      keep(bytes.subarray(from));
      if (keptBytes > maxEventBytes) {
        isCut = true;
        slices.push(take(false));
      }
      return slices;
    },
    rest: () => take(false),
  };
}

/** Where the last `count` of the events begin that these bytes complete. Reads all of them: for rare use. */
export function startOfLast(slicer: SseSlicer, bytes: Uint8Array, count: number): number {
  const slices = slicer.push(bytes);
  let start = slices.reduce((sum, slice) => sum + slice.bytes.length, 0);
  let left = count;
  for (const slice of slices.reverse()) {
    if (left === 0) break;
    start -= slice.bytes.length;
    if (slice.event !== undefined) left--;
  }
  return start;
}
