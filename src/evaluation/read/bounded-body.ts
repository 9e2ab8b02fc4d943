import { checksum, joinBytes, searchable, utf8Text } from "../../text/bytes.ts";
import { turn } from "../../turns.ts";

/** What one request may make the guard read, in bytes; beyond it, it is judged by its head and tail. */
export const READ_BUDGET = 12 * 1024 * 1024;

/** Of a longer string head and tail are read, half as much of each. In bytes. */
const LONG_STRING = 16 * 1024;
/** Quotation marks that are looked for, and bytes that are decoded, before others have their turn. */
const [SLICE, SLICE_BYTES] = [200_000, 2 * 1024 * 1024];

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
  const middles = bytes.length <= READ_BUDGET ? [] : await middlesOf(searchable(bytes));
  const left = middles.reduce((sum, { start, end }) => sum - (end - start), bytes.length);
  return left <= READ_BUDGET ? withoutMiddles(bytes, middles) : "size";
}

const encoder = new TextEncoder();

async function textOf(bytes: Uint8Array): Promise<string | undefined> {
  const pieces: (string | undefined)[] = [];
  for (let from = 0, to = 0; to < bytes.length; from = to) {
    to = Math.min(bytes.length, from + SLICE_BYTES);
    while (isContinuation(bytes[to])) to++;
    pieces.push(utf8Text(bytes.subarray(from, to)));
    if (bytes.length > SLICE_BYTES) await turn();
  }
  return pieces.includes(undefined) ? undefined : pieces.join("");
}

/** The middle of a long string, which is left out. Bytes, end exclusive. */
interface Middle {
  readonly start: number;
  readonly end: number;
}

async function withoutMiddles(bytes: Uint8Array, middles: readonly Middle[]): Promise<BoundedBody | undefined> {
  // It tells what is left out, the same in each request that carries it; and nothing else in the body is the same.
  const marks = middles.map(
    ({ start, end }) => `unloop-left-out-${end - start}.${checksum(bytes.subarray(start, end))}.`,
  );
  const kept = middles.flatMap(({ start }, i) => [
    bytes.subarray(middles[i - 1]?.end ?? 0, start),
    encoder.encode(marks[i]),
  ]);
  const text = await textOf(joinBytes([...kept, bytes.subarray(middles.at(-1)?.end ?? 0)]));
  if (text === undefined) return undefined;
  return {
    text,
    isPartial: middles.length > 0,
    restore(edited) {
      if (edited === text) return bytes;
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

/** Of a body's long strings. */
async function middlesOf(bytes: Uint8Array): Promise<readonly Middle[]> {
  const middles: Middle[] = [];
  let [stringStart, looks] = [-1, 0];
  for (let quote = bytes.indexOf(QUOTE); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    looks += 1;
    if (looks % SLICE === 0) await turn();
    if (stringStart !== -1 && isEscaped(bytes, quote, stringStart)) continue;
    if (stringStart !== -1 && quote - stringStart > LONG_STRING) {
      const start = cuttable(bytes, stringStart + 1 + LONG_STRING / 2, stringStart);
      const end = cuttable(bytes, quote - LONG_STRING / 2, stringStart);
      if (start < end) middles.push({ start, end });
    }
    stringStart = stringStart === -1 ? quote : -1;
  }
  return middles;
}

/** The longest escape, `\u0000`. In bytes. */
const ESCAPE = 6;

/** The first offset from here on at which a string can be cut: within no character and no escape. */
function cuttable(bytes: Uint8Array, from: number, stringStart: number): number {
  for (let at = from; ; at++) {
    const byte = bytes[at] ?? QUOTE;
    if (byte === BACKSLASH && !isEscaped(bytes, at, stringStart)) return at;
    if (!isContinuation(byte) && !bytes.subarray(at - ESCAPE, at).includes(BACKSLASH)) return at;
  }
}

const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80;

function isEscaped(bytes: Uint8Array, at: number, start: number): boolean {
  let slashes = 0;
  while (at - 1 - slashes > start && bytes[at - 1 - slashes] === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}
