import { joinBytes, searchable } from "../text/bytes.ts";

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

const [LF, CR, COLON] = [10, 13, 0x3a];
/** A mark of the byte order stands where a stream begins; anywhere else it is a character. */
const [BEGINNING, FURTHER] = [new TextDecoder(), new TextDecoder("utf-8", { ignoreBOM: true })];

export function sseSlicer(maxEventBytes: number): Slicer {
  let utf8 = BEGINNING;
  return slicerBy(
    {
      ends: blankLines(),
      eventIn(slice) {
        const text = utf8.decode(slice);
        utf8 = FURTHER;
        return eventIn(text);
      },
      isComment: (slice) => slice[0] === COLON,
    },
    maxEventBytes,
  );
}

function eventIn(text: string): SseEvent | undefined {
  let event: string | undefined;
  let data: string | undefined;
  const lines = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  for (let at = 0; at < lines.length; ) {
    const feed = lines.indexOf("\n", at);
    const end = feed === -1 ? lines.length : feed;
    const value = fieldAt("data", lines, at, end);
    if (value !== undefined) data = data === undefined ? value : `${data}\n${value}`;
    else event = fieldAt("event", lines, at, end) ?? event;
    at = end + 1;
  }
  return data === undefined ? undefined : { event: event === "" ? undefined : event, data };
}

/** Of a line from there to there, if it is of that field. */
function fieldAt(field: string, lines: string, start: number, end: number): string | undefined {
  const colon = start + field.length;
  if (!lines.startsWith(field, start) || (colon < end && lines[colon] !== ":")) return undefined;
  return lines.slice(colon + (lines[colon + 1] === " " ? 2 : 1), end);
}

function blankLines(): EventMarks["ends"] {
  let isEmpty = true;
  /** The bytes before ended with a carriage return, to which a line feed may belong; `isDue`: its line was blank. */
  let [isOpen, isDue] = [false, false];

  return (bytes) => {
    const ends: number[] = [];
    if (bytes.length === 0) return ends;
    const text = searchable(bytes);
    let from = isOpen && bytes[0] === LF ? 1 : 0;
    let wasAlone = false;
    if (isDue) ends.push(from);
    [isOpen, isDue] = [false, false];
    let [lf, cr] = [text.indexOf(LF, from), text.indexOf(CR, from)];
    while (lf !== -1 || cr !== -1) {
      const isReturn = lf === -1 || (cr !== -1 && cr < lf);
      const at = isReturn ? cr : lf;
      const isBlank = isEmpty && at === from;
      // Blank lines that come together are one slice: each may be a byte.
      const isAlone = isBlank && ends.at(-1) === from;
      from = at + (isReturn && lf === at + 1 ? 2 : 1);
      isEmpty = true;
      if (isReturn && lf === -1 && from === bytes.length) [isOpen, isDue] = [true, isBlank];
      else if (isBlank) {
        if (isAlone && wasAlone) ends.pop();
        ends.push(from);
        wasAlone = isAlone;
      }
      if (lf !== -1 && lf < from) lf = text.indexOf(LF, from);
      if (cr !== -1 && cr < from) cr = text.indexOf(CR, from);
    }
    isEmpty &&= from === bytes.length;
    return ends;
  };
}

export function sseText({ event, data }: SseEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}${lines.join("")}\n`;
}
