import { createParser } from "eventsource-parser";
import { joinBytes } from "../text/bytes.ts";

/** One server-sent event. */
export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** Turns bytes, in whatever pieces they come, into events. */
export interface SseReader {
  /** The events that these bytes complete. Undefined, now and ever after: one event outgrew the bound. */
  push(bytes: Uint8Array): readonly SseEvent[] | undefined;
  /** After the last byte: the event, if any, that only lacked its closing blank line. It may be cut short. */
  end(): readonly SseEvent[];
}

/** Tells events as it finds them. */
export interface SseScanner {
  /** False, now and ever after: one event outgrew the bound. */
  push(bytes: Uint8Array): boolean;
  /** After the last byte: tells the event, if any, that only lacked its closing blank line. It may be cut short. */
  end(): void;
}

/** Understands every line ending, comments and split multi-byte characters. Keeps at most about `maxEventChars` characters. */
export function sseScanner(maxEventChars: number, tell: (event: SseEvent) => void): SseScanner {
  const decoder = utf8Reader();
  let outgrown = false;
  /** A carriage return at the end, which may be half of a line's end. */
  let held = "";
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: ({ event, data }) => tell({ event, data }),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") outgrown = true;
    },
  });

  /** The parser looks for both kinds of line ends from each line on, as far as its text goes: it is given one kind alone. */
  function feed(text: string): void {
    const lines = held + text;
    held = lines.endsWith("\r") ? "\r" : "";
    const whole = held === "" ? lines : lines.slice(0, -1);
    if (whole !== "" && !outgrown) parser.feed(withoutStrayLines(whole).replaceAll(/\r\n?/g, "\n"));
  }

  return {
    push(bytes) {
      feed(decoder.push(bytes));
      return !outgrown;
    },
    end: () => feed(`${decoder.end()}\n\n`),
  };
}

/** Of blank lines in a row the first two say all: each costs as much as an event. */
export const withoutStrayLines = (text: string): string => text.replaceAll(/(?:\r\n?|\n){3,}/g, "\n\n");

/** Reader that gathers the events of a stream. */
export function sseReader(maxEventChars: number): SseReader {
  let events: SseEvent[] = [];
  const scanner = sseScanner(maxEventChars, (event) => events.push(event));
  return {
    push(bytes) {
      events = [];
      return scanner.push(bytes) ? events : undefined;
    },
    end() {
      events = [];
      scanner.end();
      return events;
    },
  };
}

/** Decodes a text in pieces. */
export interface Utf8Reader {
  push(bytes: Uint8Array): string;
  end(): string;
}

const BOM = 0xfeff;
const ofWhole = new TextDecoder("utf-8", { ignoreBOM: true });

/** Pieces that end between two characters, as most do, go a way that is three times as fast as that of a streaming decoder. */
export function utf8Reader(): Utf8Reader {
  let ofPieces: TextDecoder | undefined;
  let isWithin = false;
  let begun = false;

  function withoutBom(text: string): string {
    if (begun || text === "") return text;
    begun = true;
    return text.charCodeAt(0) === BOM ? text.slice(1) : text;
  }

  return {
    push(bytes) {
      const last = bytes.at(-1);
      if (last === undefined) return "";
      const wasWithin = isWithin;
      // An ASCII byte ends whatever character came before it.
      isWithin = last >= 0x80;
      if (!isWithin && !wasWithin) return withoutBom(ofWhole.decode(bytes));
      ofPieces ??= new TextDecoder("utf-8", { ignoreBOM: true });
      return withoutBom(ofPieces.decode(bytes, { stream: true }));
    },
    end: () => withoutBom(ofPieces?.decode() ?? ""),
  };
}

/** The text of one event on the wire. */
export function sseText({ event, data }: SseEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}${lines.join("")}\n`;
}

const LF = 10;
const CR = 13;
const COLON = 0x3a;
const isLineEnd = (byte: number) => byte === LF || byte === CR;

/** Slices end with the blank lines behind events. An event longer than `maxEventBytes` comes in several slices, none of which has it. */
export function sseSlicer(maxEventBytes: number): SseSlicer {
  return slicerBy({ ends: blankLines(), eventIn, isComment: (slice) => slice[0] === COLON }, maxEventBytes);
}

function blankLines(): (bytes: Uint8Array) => readonly number[] {
  let lineIsEmpty = true;
  let afterCr = false;
  /** A blank line ended with a carriage return; a line feed may still belong to it. */
  let due = false;

  /** Where the next slice ends in these bytes, from `from` on; -1 if they end before it. */
  function endOfSlice(bytes: Uint8Array, from: number): number {
    for (let i = from; i < bytes.length; i++) {
      const byte = bytes[i];
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

/** Where the last whole event ends in these bytes of a stream, which are known to complete one. */
export function endOfEvents(bytes: Uint8Array): number {
  // A carriage return at the end may be half of a line's end: what it closes is not complete yet.
  const from = bytes.length - (bytes.at(-1) === CR ? 2 : 1);
  for (let i = from; i >= 0; i--) {
    if (bytes[i] !== LF && bytes[i] !== CR) continue;
    const before = i - (bytes[i] === LF && bytes[i - 1] === CR ? 2 : 1);
    // Bytes that begin with the end of a line may begin with the blank one.
    if (before < 0 || bytes[before] === LF || bytes[before] === CR) return i + 1;
  }
  // Its blank line was there before, and what comes now only shows that it was one.
  return 0;
}

/** Where the last `count` of the events begin that these bytes complete. Reads all of them: for rare use. */
export function startOfLastEvents(bytes: Uint8Array, count: number): number {
  return startOfLast(sseSlicer(bytes.length), bytes, count);
}

function eventIn(slice: Uint8Array): SseEvent | undefined {
  if (slice.every(isLineEnd)) return undefined;
  const reader = sseReader(slice.length);
  return [...(reader.push(slice) ?? []), ...reader.end()][0];
}

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
