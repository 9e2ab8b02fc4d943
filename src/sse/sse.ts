import { joinBytes } from "../text/bytes.ts";

/** One server-sent event. */
export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** One event and its very bytes, with all that stands between it and the event before. */
export interface Slice {
  readonly bytes: Uint8Array;
  /** Undefined for a comment, a stray blank line, or a piece of an event that is too long. */
  readonly event: SseEvent | undefined;
  /** Only a comment, as servers send to keep a connection alive. */
  readonly isComment: boolean;
  /** A piece of an event that is too long. */
  readonly isPiece: boolean;
}

/** Cuts a stream, in whatever pieces it comes, behind each event; the slices joined are the stream. */
export interface Slicer {
  push(bytes: Uint8Array): readonly Slice[];
  /** What has come since the last slice, with its event if that only lacks its end. */
  rest(): Slice;
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
export function slicerBy({ ends, eventIn, isComment }: EventMarks, maxEventBytes: number): Slicer {
  let pieces: Uint8Array[] = [];
  let keptBytes = 0;
  /** The beginning of the next slice's event was given away already. */
  let isCut = false;

  function keep(bytes: Uint8Array): void {
    if (bytes.length > 0) pieces.push(bytes);
    keptBytes += bytes.length;
  }

  function take(isWhole: boolean): Slice {
    const bytes = joinBytes(pieces);
    const isPiece = isCut;
    const event = isPiece ? undefined : eventIn(bytes, isWhole);
    isCut = !isWhole && bytes.length > 0;
    pieces = [];
    keptBytes = 0;
    // What has not ended may turn out to be anything.
    return { bytes, event, isComment: !isPiece && isWhole && event === undefined && isComment(bytes), isPiece };
  }

  return {
    push(bytes) {
      const slices: Slice[] = [];
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

const LF = 10;
const CR = 13;
const COLON = 0x3a;
const isLineEnd = (byte: number) => byte === LF || byte === CR;

/** Slices end with the blank lines behind events. Understands every line ending, comments and a byte order mark. */
export function sseSlicer(maxEventBytes: number): Slicer {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let hasBegun = false;
  return slicerBy(
    {
      ends: blankLines(),
      eventIn(slice) {
        if (slice.every(isLineEnd)) return undefined;
        const text = decoder.decode(slice);
        const isMarked = !hasBegun && text.startsWith("\ufeff");
        hasBegun = true;
        return eventIn(isMarked ? text.slice(1) : text);
      },
      isComment: (slice) => slice[0] === COLON,
    },
    maxEventBytes,
  );
}

function eventIn(text: string): SseEvent | undefined {
  let event: string | undefined;
  let data: string | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
    else if (field === "event") event = value === "" ? undefined : value;
  }
  return data === undefined ? undefined : { event, data };
}

function blankLines(): (bytes: Uint8Array) => readonly number[] {
  let lineIsEmpty = true;
  let afterCr = false;
  /** A blank line ended with a carriage return; a line feed may still belong to it. */
  let due = false;

  /** Where the next slice ends in these bytes, from `from` on; -1 if they end before it. */
  function endOfSlice(bytes: Uint8Array, from: number): number {
    for (let i = from; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0;
      if (byte > CR && !due) {
        lineIsEmpty = false;
        afterCr = false;
        continue;
      }
      const pairs = byte === LF && afterCr;
      if (due) {
        due = false;
        if (!pairs) return i;
        afterCr = false;
        return i + 1;
      }
      afterCr = byte === CR;
      if (pairs) continue;
      const isEnd = byte === LF || byte === CR;
      if (isEnd && lineIsEmpty) {
        if (byte === LF) return i + 1;
        due = true;
      }
      lineIsEmpty = isEnd;
    }
    return -1;
  }

  return (bytes) => {
    const ends: number[] = [];
    let wasBlank = false;
    for (let end = endOfSlice(bytes, 0); end !== -1; end = endOfSlice(bytes, end)) {
      const start = ends.at(-1);
      const isBlank = start !== undefined && bytes.subarray(start, end).every(isLineEnd);
      // Blank lines that come together are one slice: each may be a byte.
      if (isBlank && wasBlank) ends.pop();
      ends.push(end);
      wasBlank = isBlank;
    }
    return ends;
  };
}

/** The text of one event on the wire. */
export function sseText({ event, data }: SseEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}${lines.join("")}\n`;
}
