import { checksum, joinBytes, searchable, utf8Text } from "../../text/bytes.ts";
import { turn } from "../../turns.ts";

/** What one request may make the guard read, in bytes; beyond it, it is judged by its head and tail. */
export const READ_BUDGET = 12 * 1024 * 1024;
/** Bytes of the budget for each sign of JSON's grammar: long histories have a hundredth of that. */
const BYTES_FOR_SIGN = 64;
/** Shorter bodies are read as they are. In bytes. */
const SHORT = 64 * 1024;

/** Of a longer string head and tail are read, half as much of each. In bytes. */
const LONG_STRING = 16 * 1024;
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

/** Undefined for what is no UTF-8 (it could not be edited exactly); `size` where too much is left to read. Linear, and other requests can run meanwhile. */
export async function boundedBody(bytes: Uint8Array): Promise<BoundedBody | "size" | undefined> {
  if (bytes.length <= SHORT) return wholeBody(bytes);
  const { signs, middles } = await scan(searchable(bytes));
  if (signs > READ_BUDGET / BYTES_FOR_SIGN) return "size";
  if (bytes.length <= READ_BUDGET) return wholeBody(bytes);
  const left = middles.reduce((sum, { start, end }) => sum - (end - start), bytes.length);
  return left <= READ_BUDGET ? elidedBody(bytes, middles) : "size";
}

const encoder = new TextEncoder();

function wholeBody(bytes: Uint8Array): BoundedBody | undefined {
  const text = utf8Text(bytes);
  return text === undefined
    ? undefined
    : { text, isPartial: false, restore: (edited) => (edited === text ? bytes : encoder.encode(edited)) };
}

/** The middle of a long string, which is left out. Bytes, end exclusive. */
interface Middle {
  readonly start: number;
  readonly end: number;
}

function elidedBody(bytes: Uint8Array, middles: readonly Middle[]): BoundedBody | undefined {
  const pieces = middles.map(({ start }, i) => utf8Text(bytes.subarray(middles[i - 1]?.end ?? 0, start)));
  pieces.push(utf8Text(bytes.subarray(middles.at(-1)?.end ?? 0)));
  if (pieces.includes(undefined)) return undefined;
  // It tells what is left out, the same in each request that carries it; and nothing else in the body is the same.
  const marks = middles.map(
    ({ start, end }) => `unloop-left-out-${end - start}.${checksum(bytes.subarray(start, end))}.`,
  );
  return {
    text: pieces.map((piece, i) => (piece ?? "") + (marks[i] ?? "")).join(""),
    isPartial: true,
    restore(edited) {
      const whole: Uint8Array[] = [];
      let at = 0;
      for (const [i, { start, end }] of middles.entries()) {
        const mark = marks[i] ?? "";
        const markAt = edited.indexOf(mark, at);
        // An edit may have replaced the whole string.
        if (markAt === -1) continue;
        whole.push(encoder.encode(edited.slice(at, markAt)), bytes.subarray(start, end));
        at = markAt + mark.length;
      }
      return joinBytes([...whole, encoder.encode(edited.slice(at))]);
    },
  };
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const SIGNS = Uint8Array.from({ length: 256 }, (_, byte) => ("[]{}:,".includes(String.fromCharCode(byte)) ? 1 : 0));

/** Looks through a body once, in slices: counts the signs of its grammar, and finds the middles of its long strings. */
async function scan(bytes: Uint8Array): Promise<{ readonly signs: number; readonly middles: readonly Middle[] }> {
  const middles: Middle[] = [];
  let signs = 0;
  /** Where the string begins that is being read; -1 outside of strings. */
  let stringStart = -1;
  for (let at = 0; at < bytes.length; await turn()) {
    const sliceEnd = Math.min(bytes.length, at + SLICE_BYTES);
    for (let work = 0; at < sliceEnd && work < SLICE; work++) {
      const byte = bytes[at] ?? QUOTE;
      if (stringStart === -1) {
        if (byte === QUOTE) stringStart = at;
        else signs += SIGNS[byte] ?? 0;
        at++;
        continue;
      }
      const quote = closingQuote(bytes, at, sliceEnd);
      at = quote === -1 ? sliceEnd : quote + 1;
      if (quote === -1) continue;
      if (quote - stringStart > LONG_STRING) {
        const start = cuttable(bytes, stringStart + 1 + LONG_STRING / 2, stringStart);
        const end = cuttable(bytes, quote - LONG_STRING / 2, stringStart);
        if (start < end) middles.push({ start, end });
      }
      stringStart = -1;
    }
  }
  return { signs, middles };
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
