import { checksum } from "../../text/bytes.ts";

/**
 * A stretch of a body that is not read: whole elements of one list, without the commas around them, or the middle of one string. In
 * bytes, end exclusive.
 */
export interface Elision {
  readonly start: number;
  readonly end: number;
  /** Checksum of the omitted part of a string. */
  readonly sum?: number;
}

/**
 * Of a longer string head and tail are read, half as much of each. In bytes; the first of these that leaves no more to read of
 * the whole body than `MAX_READ`.
 */
const LONG_STRINGS = [128 * 1024, 16 * 1024, 2 * 1024];
const MAX_READ = 12 * 1024 * 1024;

/** Elements that are read at the beginning of a top-level list, such as the messages. */
const FIRST = 64;
/** Least number of elements that are read at its end. The omitted part grows by whole blocks from request to request, so that steps keep their places. */
const LAST = 4_096;
const BLOCK = 1_024;
const RING = LAST + BLOCK;
/** Elements that are read at the beginning of any other list. */
const INNER = 1_024;
/** Deeper lists are not looked into. */
const MAX_DEPTH = 64;
/** Signs of JSON's grammar in what is read, at most: a hundred times what long histories have. */
const MAX_SIGNS = 200_000;
/** Looks at a byte, or for the end of a string, after which others have their turn. */
const SLICE = 1_000_000;
const SLICE_BYTES = 2 * 1024 * 1024;

interface List {
  readonly isList: boolean;
  /** Elements so far that are followed by another. */
  count: number;
  /** Where the first element begins that need not be read, and how many signs came before it. */
  restStart: number;
  restSigns: number;
}

/** Where elements of a top-level list begin, the latest ones: index modulo `RING`. */
interface Starts {
  readonly at: Float64Array;
  readonly signs: Float64Array;
}

/**
 * What to leave out of a body so that reading it takes a bounded time; undefined where leaving out does not help. Linear, and others
 * have their turn meanwhile. Says nothing of whether the body is JSON at all.
 */
export async function elisionsIn(bytes: Uint8Array): Promise<readonly Elision[] | undefined> {
  let elisions: readonly Elision[] | undefined;
  for (const longString of LONG_STRINGS) {
    const scan = scanner(bytes, longString);
    while (!scan.step()) await turn();
    elisions = scan.result();
    if (elisions === undefined || readOf(bytes, elisions) <= MAX_READ) return elisions;
    await turn();
  }
  return elisions;
}

function readOf(bytes: Uint8Array, elisions: readonly Elision[]): number {
  return elisions.reduce((left, { start, end }) => left - (end - start), bytes.length);
}

/** Others that wait for the processor come first. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

function scanner(bytes: Uint8Array, longString: number) {
  const open: List[] = [];
  const elisions: (Elision & { readonly signs: number })[] = [];
  const starts: Starts = { at: new Float64Array(RING), signs: new Float64Array(RING) };
  let depth = 0;
  let at = 0;
  let signs = 0;
  let work = 0;
  /** Where the string begins that is being read; -1 outside of strings. */
  let stringStart = -1;

  const isTop = () => depth === 2 && open[0]?.isList === false;

  function begin(isList: boolean): void {
    depth++;
    if (depth <= MAX_DEPTH) open.push({ isList, count: 0, restStart: -1, restSigns: 0 });
    if (isTop()) note(0);
  }

  function note(index: number): void {
    starts.at[index % RING] = at + 1;
    starts.signs[index % RING] = signs;
  }

  function next(): void {
    const list = depth <= MAX_DEPTH ? open.at(-1) : undefined;
    if (list?.isList !== true) return;
    list.count++;
    const first = isTop() ? FIRST : INNER;
    if (isTop()) note(list.count);
    if (list.count === first) {
      list.restStart = at + 1;
      list.restSigns = signs;
    }
  }

  function close(): void {
    const list = depth <= MAX_DEPTH ? open.pop() : undefined;
    const wasTop = depth === 2 && open[0]?.isList === false;
    depth--;
    if (list?.isList !== true || list.restStart === -1) return;
    if (!wasTop) leaveOut(list.restStart, at, signs - list.restSigns);
    else {
      const elements = list.count + 1;
      const kept = Math.floor((elements - LAST) / BLOCK) * BLOCK;
      // One that is followed by the first of the kept ones ends before the comma between them.
      if (kept > FIRST)
        leaveOut(list.restStart, (starts.at[kept % RING] ?? 0) - 1, (starts.signs[kept % RING] ?? 0) - list.restSigns);
    }
  }

  /** A stretch that holds others stands for them. */
  function leaveOut(start: number, end: number, within: number): void {
    let from = elisions.length;
    while (from > 0 && (elisions[from - 1]?.start ?? 0) >= start) from--;
    let to = from;
    while (to < elisions.length && (elisions[to]?.start ?? 0) < end) to++;
    elisions.splice(from, to - from, { start, end, signs: within });
  }

  /** Up to the end of the string, or of this slice. */
  function readString(byteEnd: number): void {
    const quote = closingQuote(bytes, at, byteEnd);
    at = quote === -1 ? byteEnd : quote + 1;
    if (quote === -1) return;
    if (quote - stringStart > longString) leaveOutWithin(stringStart + 1, quote);
    stringStart = -1;
  }

  function leaveOutWithin(from: number, to: number): void {
    const start = cuttable(bytes, from + longString / 2, from - 1);
    const end = cuttable(bytes, to - longString / 2, from - 1);
    if (start < end) elisions.push({ start, end, signs: 0, sum: checksum(bytes.subarray(start, end)) });
  }

  return {
    /** True when it is done. */
    step(): boolean {
      const byteEnd = Math.min(bytes.length, at + SLICE_BYTES);
      for (const end = work + SLICE; at < byteEnd && work < end; ) {
        work++;
        if (stringStart !== -1) {
          readString(byteEnd);
          continue;
        }
        const byte = bytes[at];
        if (byte === QUOTE) stringStart = at;
        else if (byte !== undefined && isSign(byte)) {
          signs++;
          if (byte === COMMA) next();
          else if (byte === OPEN_LIST || byte === OPEN_OBJECT) begin(byte === OPEN_LIST);
          else if (byte !== COLON) close();
        }
        at++;
      }
      return at >= bytes.length;
    },
    result(): readonly Elision[] | undefined {
      const left = elisions.reduce((sum, elision) => sum + elision.signs, 0);
      return signs - left > MAX_SIGNS ? undefined : elisions.map(({ signs: _, ...elision }) => elision);
    },
  };
}

/**
 * Where the string ends that goes on here; -1 where it does not end before `to`. Apart from what is kept of a body: the engine makes
 * fast code of what is called often, and this is nearly all that a scan does.
 */
function closingQuote(bytes: Uint8Array, from: number, to: number): number {
  for (let quote = bytes.indexOf(QUOTE, from); quote !== -1 && quote < to; quote = bytes.indexOf(QUOTE, quote + 1))
    if (bytes[quote - 1] !== BACKSLASH || !isEscaped(bytes, quote, -1)) return quote;
  return -1;
}

function isSign(byte: number): boolean {
  return SIGNS[byte] === 1;
}

/** The first offset from here on at which a string can be cut: within no character and no escape. */
function cuttable(bytes: Uint8Array, from: number, stringStart: number): number {
  for (let at = from; ; at++) {
    const byte = bytes[at] ?? QUOTE;
    if (byte === BACKSLASH && !isEscaped(bytes, at, stringStart)) return at;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (!isContinuation && !bytes.subarray(at - ESCAPE, at).includes(BACKSLASH)) return at;
  }
}

const SIGNS = Uint8Array.from({ length: 256 }, (_, byte) => ("[]{}:,".includes(String.fromCharCode(byte)) ? 1 : 0));

/** The longest escape, `\u0000`. In bytes. */
const ESCAPE = 6;

function isEscaped(bytes: Uint8Array, at: number, start: number): boolean {
  let slashes = 0;
  while (at - 1 - slashes > start && bytes[at - 1 - slashes] === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}
