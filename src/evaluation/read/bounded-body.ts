import { checksum, joinBytes, searchable, utf8Text } from "../../text/bytes.ts";
import { type ParsedRequest, parseRecorded } from "../../protocols/protocols.ts";
import { turn } from "../../turns.ts";

/** What one request may make the guard read, in bytes; beyond it, it is judged by its head and tail. */
export const READ_BUDGET = 12 * 1024 * 1024;
/** Bytes of the budget for each sign of JSON's grammar: long histories have a hundredth of that. */
const BYTES_FOR_SIGN = 64;
/** Shorter bodies are read as they are. In bytes. */
const SHORT = 64 * 1024;
/** A recording that is no longer is read in one go: a share of the budget. In characters. */
const SHORT_RECORD = READ_BUDGET / 3;

/** Of a longer string head and tail are read, half as much of each. In bytes. */
const LONG_STRING = 16 * 1024;
/** Elements of a top-level list, such as the messages, that are read at its beginning, and at least at its end. */
const FIRST = 64;
const LAST = 4_096;
/** The omitted part grows from request to request by whole blocks, so that steps keep their places. */
const BLOCK = LAST / 4;
const RING = LAST + BLOCK;
/** Looks at a byte, or for the end of a string, after which other requests can run. */
const SLICE = 1_000_000;
const SLICE_BYTES = 2 * 1024 * 1024;

/** A request's body as it is read, and the way back to the whole one. */
export interface BoundedBody {
  /** Where there is too much of it, each stretch that is left out is a short mark. */
  readonly text: string;
  /** There is more in it than the budget lets be read: it is judged by its head and tail. */
  readonly isPartial: boolean;
  /** The text, edited or not, as it is sent: with all that was left out in its place again. */
  restore(text: string): Uint8Array;
}

/**
 * Undefined for what is no UTF-8 (what cannot be read exactly cannot be edited exactly), or leaves too much to
 * read, which would hold up everybody else. Linear, and other requests can run meanwhile. Says nothing of whether the body is JSON at all.
 */
export async function boundedBody(bytes: Uint8Array): Promise<BoundedBody | undefined> {
  if (bytes.length <= SHORT) return wholeBody(bytes);
  const scan = scanner(searchable(bytes));
  while (!scan.step()) await turn();
  const mostSigns = READ_BUDGET / BYTES_FOR_SIGN;
  if (bytes.length <= READ_BUDGET && scan.signs() <= mostSigns) return wholeBody(bytes);
  const { elisions, signs } = scan.elided();
  const left = elisions.reduce((sum, { start, end }) => sum - (end - start), bytes.length);
  return signs <= mostSigns && left <= READ_BUDGET ? elidedBody(bytes, elisions) : undefined;
}

/**
 * A recorded request of whatever format, read as one that comes in is. Undefined where no format recognises it.
 * @throws RangeError where it is nested more deeply than can be written down again
 */
export async function readRecorded(record: unknown): Promise<ParsedRequest | undefined> {
  return parseRecorded(record, async (protocol, text) => {
    await turn();
    if (text.length <= SHORT_RECORD) return protocol.parse(text);
    const body = await boundedBody(encoder.encode(text));
    return body && protocol.parse(body.text);
  });
}

const encoder = new TextEncoder();

function wholeBody(bytes: Uint8Array): BoundedBody | undefined {
  const text = utf8Text(bytes);
  return text === undefined
    ? undefined
    : { text, isPartial: false, restore: (edited) => (edited === text ? bytes : encoder.encode(edited)) };
}

/** A stretch that is left out: elements of one list, without the commas around them, or the middle of a string. Bytes, end exclusive. */
interface Elision {
  readonly start: number;
  readonly end: number;
  readonly isText: boolean;
}

function elidedBody(bytes: Uint8Array, elisions: readonly Elision[]): BoundedBody | undefined {
  const pieces: (string | undefined)[] = [];
  const marks: string[] = [];
  let from = 0;
  for (const { start, end, isText } of elisions) {
    pieces.push(utf8Text(bytes.subarray(from, start)));
    // It tells what is left out, the same in each request that carries it; and nothing else in the body is the same.
    const mark = `unloop-left-out-${end - start}.${checksum(bytes.subarray(start, end))}.`;
    marks.push(isText ? mark : `"${mark}"`);
    from = end;
  }
  pieces.push(utf8Text(bytes.subarray(from)));
  if (pieces.includes(undefined)) return undefined;
  return {
    text: pieces.map((piece, i) => (piece ?? "") + (marks[i] ?? "")).join(""),
    isPartial: true,
    restore(edited) {
      const whole: Uint8Array[] = [];
      let at = 0;
      for (const [i, { start, end }] of elisions.entries()) {
        const mark = marks[i] ?? "";
        const markAt = edited.indexOf(mark, at);
        // An edit may have replaced the whole list.
        if (markAt === -1) continue;
        whole.push(encoder.encode(edited.slice(at, markAt)), bytes.subarray(start, end));
        at = markAt + mark.length;
      }
      return joinBytes([...whole, encoder.encode(edited.slice(at))]);
    },
  };
}

const [QUOTE, COMMA, COLON, BACKSLASH, OPEN_LIST, OPEN_OBJECT] = [0x22, 0x2c, 0x3a, 0x5c, 0x5b, 0x7b];
const SIGNS = Uint8Array.from({ length: 256 }, (_, byte) => ("[]{}:,".includes(String.fromCharCode(byte)) ? 1 : 0));

/** Looks through a body once, in slices: counts the signs of its grammar, and finds what can be left out. */
function scanner(bytes: Uint8Array) {
  let elisions: (Elision & { readonly signs: number })[] = [];
  /** Where the latest elements of a top-level list begin, by index modulo their number. */
  const starts = { at: new Float64Array(RING), signs: new Float64Array(RING) };
  let depth = 0;
  let at = 0;
  let signs = 0;
  let isRequest = false;
  /** Elements so far of the top-level list that is open; -1 outside of one. */
  let count = -1;
  /** Where its first element begins that need not be read, and how many signs came before it. */
  let rest = { start: -1, signs: 0 };
  /** Where the string begins that is being read; -1 outside of strings. */
  let stringStart = -1;

  function begin(isList: boolean): void {
    depth++;
    if (depth === 1) isRequest = !isList;
    if (depth !== 2 || !isRequest || !isList) return;
    count = -1;
    next();
  }

  function next(): void {
    count++;
    starts.at[count % RING] = at + 1;
    starts.signs[count % RING] = signs;
    if (count === FIRST) rest = { start: at + 1, signs };
  }

  function closeList(): void {
    const kept = Math.floor((count + 1 - LAST) / BLOCK) * BLOCK;
    count = -1;
    if (kept <= FIRST) return;
    // What is left out ends before the comma in front of the first element that is kept, and stands for all within it.
    const end = (starts.at[kept % RING] ?? 0) - 1;
    const { start } = rest;
    elisions = elisions.filter((one) => one.start < start || one.start >= end);
    elisions.push({ start, end, isText: false, signs: (starts.signs[kept % RING] ?? 0) - rest.signs });
  }

  /** Up to the end of the string, or of this slice. */
  function readString(byteEnd: number): void {
    const quote = closingQuote(bytes, at, byteEnd);
    at = quote === -1 ? byteEnd : quote + 1;
    if (quote === -1) return;
    if (quote - stringStart > LONG_STRING) {
      const start = cuttable(bytes, stringStart + 1 + LONG_STRING / 2, stringStart);
      const end = cuttable(bytes, quote - LONG_STRING / 2, stringStart);
      if (start < end) elisions.push({ start, end, isText: true, signs: 0 });
    }
    stringStart = -1;
  }

  function readSign(byte: number): void {
    signs++;
    const isInList = depth === 2 && count !== -1;
    if (byte === COMMA && isInList) next();
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) begin(byte === OPEN_LIST);
    else if (byte !== COMMA && byte !== COLON) {
      if (isInList) closeList();
      depth--;
    }
  }

  return {
    /** True when it is done. */
    step(): boolean {
      const byteEnd = Math.min(bytes.length, at + SLICE_BYTES);
      for (let work = 0; at < byteEnd && work < SLICE; work++) {
        if (stringStart !== -1) {
          readString(byteEnd);
          continue;
        }
        const byte = bytes[at];
        if (byte === QUOTE) stringStart = at;
        else if (byte !== undefined && SIGNS[byte] === 1) readSign(byte);
        at++;
      }
      return at >= bytes.length;
    },
    signs: () => signs,
    /** What to leave out, and the number of signs in the rest. */
    elided: () => ({
      elisions: elisions.toSorted((one, other) => one.start - other.start),
      signs: elisions.reduce((left, elision) => left - elision.signs, signs),
    }),
  };
}

/** Where the string ends that goes on here; -1 where it does not end before `to`. */
function closingQuote(bytes: Uint8Array, from: number, to: number): number {
  for (let quote = bytes.indexOf(QUOTE, from); quote !== -1 && quote < to; quote = bytes.indexOf(QUOTE, quote + 1))
    if (!isEscaped(bytes, quote, -1)) return quote;
  return -1;
}

/** The longest escape, `\u0000`. In bytes. */
const ESCAPE = 6;

/** The first offset from here on at which a string can be cut: within no character and no escape. */
function cuttable(bytes: Uint8Array, from: number, stringStart: number): number {
  for (let at = from; ; at++) {
    const byte = bytes[at] ?? QUOTE;
    if (byte === BACKSLASH && !isEscaped(bytes, at, stringStart)) return at;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (!isContinuation && !bytes.subarray(at - ESCAPE, at).includes(BACKSLASH)) return at;
  }
}

function isEscaped(bytes: Uint8Array, at: number, start: number): boolean {
  let slashes = 0;
  while (at - 1 - slashes > start && bytes[at - 1 - slashes] === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}
