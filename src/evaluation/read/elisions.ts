import { checksum, searchable } from "../../text/bytes.ts";
import { turn } from "../../turns.ts";

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

/** What is left out of a body, and whether more than the middle of single long strings, such as pictures, had to be. */
export interface Elisions {
  readonly list: readonly Elision[];
  readonly isPartial: boolean;
}

/** How much of a body is read. */
interface Detail {
  /** Of a longer string head and tail are read, half as much of each. In bytes. */
  readonly longString: number;
  /** Least number of elements that are read at the end of a top-level list, such as the messages. */
  readonly last: number;
  /** Elements that are read at the beginning of any other list. */
  readonly inner: number;
}

/** The first of these that leaves no more to read than the budget. */
const DETAILS: readonly Detail[] = [
  { longString: 128 * 1024, last: 4_096, inner: 1_024 },
  { longString: 16 * 1024, last: 4_096, inner: 1_024 },
  { longString: 2 * 1024, last: 4_096, inner: 256 },
  { longString: 2 * 1024, last: 256, inner: 32 },
];

/** Elements that are read at the beginning of a top-level list. */
const FIRST = 64;
/** The omitted part grows from request to request by whole blocks, of which the end holds four, so that steps keep their places. */
const BLOCKS = 4;
/** Deeper lists are not looked into. */
const MAX_DEPTH = 64;
/** Bytes of the budget for each sign of JSON's grammar: long histories have a hundredth of that. */
const BYTES_FOR_SIGN = 64;
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

/** Where elements of a top-level list begin, the latest ones: index modulo their number. */
interface Starts {
  readonly at: Float64Array;
  readonly signs: Float64Array;
}

/**
 * What to leave out of a body so that reading it takes a bounded time; undefined where leaving out does not help. Linear, and others
 * have their turn meanwhile. Says nothing of whether the body is JSON at all.
 * @param budget of what is read, in bytes
 */
export async function elisionsIn(bytes: Uint8Array, budget: number): Promise<Elisions | undefined> {
  for (const detail of DETAILS) {
    const scan = scanner(searchable(bytes), detail);
    while (!scan.step()) await turn();
    const { list, signs } = scan.result();
    const isLast = detail === DETAILS.at(-1);
    const isReadable = signs * BYTES_FOR_SIGN <= budget;
    if (isReadable && (isLast || readOf(bytes, list) <= budget))
      return { list, isPartial: detail !== DETAILS[0] || list.some(({ sum }) => sum === undefined) };
    await turn();
  }
  return undefined;
}

function readOf(bytes: Uint8Array, elisions: readonly Elision[]): number {
  return elisions.reduce((left, { start, end }) => left - (end - start), bytes.length);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

function scanner(bytes: Uint8Array, { longString, last, inner }: Detail) {
  const block = last / BLOCKS;
  const ring = last + block;
  const open: List[] = [];
  const elisions: (Elision & { readonly signs: number })[] = [];
  const starts: Starts = { at: new Float64Array(ring), signs: new Float64Array(ring) };
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
    starts.at[index % ring] = at + 1;
    starts.signs[index % ring] = signs;
  }

  function next(): void {
    const list = depth <= MAX_DEPTH ? open.at(-1) : undefined;
    if (list?.isList !== true) return;
    list.count++;
    const first = isTop() ? FIRST : inner;
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
      const kept = Math.floor((elements - last) / block) * block;
      // One that is followed by the first of the kept ones ends before the comma between them.
      if (kept > FIRST)
        leaveOut(list.restStart, (starts.at[kept % ring] ?? 0) - 1, (starts.signs[kept % ring] ?? 0) - list.restSigns);
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
    /** With the number of signs in what is left to read. */
    result(): { readonly list: readonly Elision[]; readonly signs: number } {
      const left = elisions.reduce((sum, elision) => sum + elision.signs, 0);
      return { list: elisions.map(({ signs: _, ...elision }) => elision), signs: signs - left };
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
