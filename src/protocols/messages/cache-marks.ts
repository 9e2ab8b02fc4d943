import { AGENTS } from "../../agents/agents.ts";
import { indexIn } from "../../text/bytes.ts";
import { beforeBlanks } from "../json/from-end.ts";

/** A stretch of bytes, its end exclusive. */
interface Cut {
  readonly start: number;
  readonly end: number;
}

/**
 * The body without what clients change from request to request though it says nothing: marks for the prompt cache, which move
 * on with every turn, the list around a text alone, which is there where a mark was to be put, and notes about billing. Still
 * valid JSON.
 */
export function withoutCacheMarks(body: Uint8Array): Uint8Array {
  const marks = marksIn(body);
  const cuts =
    marks === undefined ? [] : [...marks, ...wrappingsIn(body, marks), ...NOTES.flatMap((note) => noteIn(body, note))];
  return cuts.length === 0
    ? body
    : without(
        body,
        cuts.sort((one, other) => one.start - other.start),
      );
}

const KEY = '"cache_control"';
/** What kind it is, and how long it holds. */
const MARK = /^\s*:\s*(null|\{\s*"type"\s*:\s*"ephemeral"[^{}]*\})/;
const MAX_MARK = 256;
const LATIN1 = new TextDecoder("latin1");

/** In valid JSON such a key stands in no string: its quotation marks would be escaped. Undefined: one of them is no plain mark. */
function marksIn(body: Uint8Array): readonly Cut[] | undefined {
  const cuts: Cut[] = [];
  for (let at = indexIn(body, KEY, 0); at !== -1; at = indexIn(body, KEY, at + KEY.length)) {
    const cut = markAt(body, at);
    if (cut === undefined) return undefined;
    cuts.push(cut);
  }
  return cuts;
}

function markAt(body: Uint8Array, key: number): Cut | undefined {
  const end = valueEnd(body, key + KEY.length);
  if (end === undefined) return undefined;
  const before = beforeBlanks(body, key - 1);
  if (body[before] === COMMA) return { start: before, end };
  const behind = behindBlanks(body, end);
  return body[before] === BRACE && body[behind] === COMMA ? { start: key, end: behind + 1 } : undefined;
}

function valueEnd(body: Uint8Array, from: number): number | undefined {
  const match = MARK.exec(LATIN1.decode(body.subarray(from, from + MAX_MARK)));
  return match === null ? undefined : from + match[0].length;
}

/** How a list begins that is one text, in the two ways of writing JSON without line breaks. */
const WRAPPING = '[{"type":"text","text":';
const SPACED_WRAPPING = '[{"type": "text", "text": ';

function wrappingsIn(body: Uint8Array, marks: readonly Cut[]): readonly Cut[] {
  const byStart = new Map(marks.map((mark) => [mark.start, mark]));
  const wrapping = body[body.indexOf(COLON) + 1] === BLANK ? SPACED_WRAPPING : WRAPPING;
  const cuts: Cut[] = [];
  for (let at = indexIn(body, wrapping, 0); at !== -1; at = indexIn(body, wrapping, at + wrapping.length)) {
    const text = at + wrapping.length;
    const end = stringEnd(body, text);
    if (end === undefined) continue;
    const close = byStart.get(end)?.end ?? end;
    if (body[close] !== CLOSING_BRACE || body[close + 1] !== CLOSING_BRACKET) continue;
    cuts.push({ start: at, end: text }, { start: close, end: close + 2 });
  }
  return cuts;
}

/** What agents tell their own billing, in front of the system prompt: a number of it may be new with each request. */
const NOTES = AGENTS.flatMap(({ billing }) => (billing === undefined ? [] : [`"${billing}`]));
/** The system prompt begins near the body's beginning, or stands behind the messages with the tools. In bytes. */
const NOTE_SPANS = { head: 8 * 1024, tail: 256 * 1024 };

function noteIn(body: Uint8Array, note: string): readonly Cut[] {
  const tail = Math.max(0, body.length - NOTE_SPANS.tail);
  const inHead = indexIn(body.subarray(0, NOTE_SPANS.head), note);
  const start = inHead === -1 ? indexIn(body, note, tail) : inHead;
  const end = start === -1 ? undefined : stringEnd(body, start);
  return end === undefined ? [] : [{ start: start + 1, end: end - 1 }];
}

/** Right behind a string's closing quotation mark. */
function stringEnd(body: Uint8Array, opening: number): number | undefined {
  if (body[opening] !== QUOTE) return undefined;
  for (let at = body.indexOf(QUOTE, opening + 1); at !== -1; at = body.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (body[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return undefined;
}

function without(body: Uint8Array, cuts: readonly Cut[]): Uint8Array {
  const bytes = new Uint8Array(body.length);
  let length = 0;
  let from = 0;
  for (const { start, end } of [...cuts, { start: body.length, end: body.length }]) {
    bytes.set(body.subarray(from, start), length);
    length += start - from;
    from = end;
  }
  return bytes.subarray(0, length);
}

const QUOTE = 0x22;
const BLANK = 0x20;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

function behindBlanks(body: Uint8Array, from: number): number {
  let at = from;
  while (at < body.length && (body[at] ?? 0) <= 0x20) at++;
  return at;
}
