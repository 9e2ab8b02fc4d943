import { joinBytes } from "../text/bytes.ts";

export type SseEvent = { readonly event: string | undefined; readonly data: string };

export interface Slice {
  readonly bytes: Uint8Array;
  /** Undefined for a comment, a stray blank line, or a piece of an event that is too long. */
  readonly event: SseEvent | undefined;
  readonly isComment: boolean;
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
  isComment(slice: Uint8Array): boolean;
}

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

function blankLines(): EventMarks["ends"] {
  let isEmpty = true;
  /** The bytes before ended with a carriage return, to which a line feed may belong; `isDue`: its line was blank. */
  let [isOpen, isDue] = [false, false];

  return (bytes) => {
    const ends: number[] = [];
    let from = 0;
    let wasAlone = false;
    // Blank lines that come together are one slice: each may be a byte.
    const end = (at: number) => {
      const isAlone = ends.at(-1) === from;
      if (isAlone && wasAlone) ends.pop();
      ends.push(at);
      wasAlone = isAlone;
    };
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte > CR && !isOpen) {
        isEmpty = false;
        continue;
      }
      const belongs = isOpen && byte === LF;
      if (isDue) end(belongs ? at + 1 : at);
      if (isOpen) from = belongs ? at + 1 : at;
      isDue = isEmpty && byte === CR;
      isOpen = byte === CR;
      if (belongs) continue;
      if (isEmpty && byte === LF) end(at + 1);
      isEmpty = byte === LF || byte === CR;
      if (byte === LF) from = at + 1;
    }
    return ends;
  };
}

export function sseText({ event, data }: SseEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}${lines.join("")}\n`;
}
