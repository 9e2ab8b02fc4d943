import { joinBytes } from "../text/bytes.ts";

export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

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
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Slices end with the blank lines behind events. Understands every line ending, comments and a byte order mark. */
export function sseSlicer(maxEventBytes: number): Slicer {
  let hasBegun = false;
  return slicerBy(
    {
      ends: blankLines(),
      eventIn(slice) {
        const text = UTF8.decode(slice);
        if (isBlank(text)) return undefined;
        const isMarked = !hasBegun && text.startsWith("\ufeff");
        hasBegun = true;
        return eventIn(isMarked ? text.slice(1) : text);
      },
      isComment: (slice) => slice[0] === COLON,
    },
    maxEventBytes,
  );
}

const isBlank = (text: string) => text.charCodeAt(0) <= CR && /^[\r\n]*$/.test(text);

function eventIn(text: string): SseEvent | undefined {
  let event: string | undefined;
  let data: string | undefined;
  for (const line of text.includes("\r") ? text.split(/\r\n|\r|\n/) : text.split("\n")) {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
    else if (field === "event") event = value === "" ? undefined : value;
  }
  return data === undefined ? undefined : { event, data };
}

/** Finds where blank lines end, in whatever pieces the bytes come. */
function blankLines(): EventMarks["ends"] {
  let lineIsEmpty = true;
  /** The bytes before ended with a carriage return, to which a line feed may belong; its line was blank. */
  let isOpen = false;
  let isDue = false;

  return (bytes) => {
    const ends: number[] = [];
    if (bytes.length === 0) return ends;
    let from = isOpen && bytes[0] === LF ? 1 : 0;
    if (isDue) ends.push(from);
    isOpen = false;
    isDue = false;
    let wasAlone = false;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte > CR || (byte !== LF && byte !== CR)) continue;
      const start = from;
      const isEmpty = lineIsEmpty && at === start;
      isOpen = byte === CR && at === bytes.length - 1;
      isDue = isOpen && isEmpty;
      if (byte === CR && bytes[at + 1] === LF) at++;
      from = at + 1;
      lineIsEmpty = true;
      if (!isEmpty || isOpen) continue;
      // Blank lines that come together are one slice: each may be a byte.
      const isAlone = ends.at(-1) === start;
      if (isAlone && wasAlone) ends.pop();
      ends.push(from);
      wasAlone = isAlone;
    }
    lineIsEmpty &&= from === bytes.length;
    return ends;
  };
}

export function sseText({ event, data }: SseEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}${lines.join("")}\n`;
}
