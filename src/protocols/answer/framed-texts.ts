import type { StreamPart } from "../protocol.ts";

/** A part that goes on with a text. */
export type TextPart = Extract<StreamPart, { readonly text: string }>;

/** What all events are alike in that go on with one text, as they are on the wire: each is a head, a piece of that text and a tail. */
export interface TextFrame {
  /** Ends with the quotation mark that opens the text. */
  readonly head: string;
  /** Begins with the one that closes it, and ends where the event does. */
  readonly tail: string;
  /** What such an event says, but for its text. */
  readonly part: TextPart;
}

/** The only thing that an event says, if that is a text. */
export function soleText(parts: readonly StreamPart[]): TextPart | undefined {
  const [part] = parts;
  return part !== undefined && parts.length === 1 && "text" in part ? part : undefined;
}

/** The text of an event that begins at `at` and is one of the frame's. Undefined: it is none, or its text has an escape. */
export function framedText(events: string, at: number, { head, tail }: TextFrame): string | undefined {
  const start = at + head.length;
  // Slices compared are ten times as fast as `startsWith`, which goes letter by letter.
  if (events.slice(at, start) !== head) return undefined;
  const end = endOfPlain(events, start);
  return end !== -1 && events.slice(end, end + tail.length) === tail ? events.slice(start, end) : undefined;
}

/** V8 copies shorter texts than this where they are cut out of another one. */
const SHORTEST_SLICE = 13;

/** Texts of a frame, joined, in memory of their own: what V8 cuts out of a longer text keeps all of that alive. */
export function ownText(texts: string): string {
  return texts.length < SHORTEST_SLICE ? texts : String(JSON.parse(`"${texts}"`));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;

/** The quotation mark that closes a JSON string which is written as it reads; -1: it is not, or there is none. */
function endOfPlain(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH || code < BLANK) return -1;
  }
  return -1;
}
