import { joinBytes, utf8Text } from "../../text/bytes.ts";
import { type Elision, type Elisions, elisionsIn } from "./elisions.ts";
import { type ParsedRequest, parseRecorded } from "../../protocols/protocols.ts";
import { turn } from "../../turns.ts";

/** A shorter one is read as it is: a share of the budget, since it is read in one go. */
const SHARE = 3;

/**
 * A recorded request of whatever format, read as one that comes in is. Undefined where no format recognises it.
 * @throws RangeError where it is nested more deeply than can be written down again
 */
export async function readRecorded(record: unknown): Promise<ParsedRequest | undefined> {
  return parseRecorded(record, async (protocol, text) => {
    await turn();
    if (text.length <= READ_BUDGET / SHARE) return protocol.parse(text);
    const body = await abridgedBody(new TextEncoder().encode(text));
    return body && protocol.parse(body.text);
  });
}

const STEM = "unloop-left-out-";
/** A stem with its number; longer numbers are none of ours. */
const NUMBERED = /unloop-left-out-(\d{1,9})-/g;

/** The beginning of a mark that stands nowhere in a text. One pass over it, and short whatever the text holds: it is repeated in each mark. */
export function unusedStem(text: string): string {
  if (!text.includes(STEM)) return STEM;
  const used = new Set<string>();
  for (const [, number = ""] of text.matchAll(NUMBERED)) used.add(number);
  let unused = 0;
  while (used.has(String(unused))) unused++;
  return `${STEM}${unused}-`;
}

/** A request's body as it is read, and the way back to the whole one. */
export interface AbridgedBody {
  /** Without the middle of lists that are longer than anything needs; each left-out stretch is a short mark. */
  readonly text: string;
  /** There is more in it than the budget lets be read: it is judged by its head and tail. */
  readonly isPartial: boolean;
  /** The text, edited or not, as it is sent: with all that was left out in its place again. */
  restore(text: string): Uint8Array;
}

/** What one request may make the guard read, in bytes; beyond it, it is judged by its head and tail. */
export const READ_BUDGET = 12 * 1024 * 1024;

/** Shorter bodies are read as they are. In bytes. */
const SHORT = 64 * 1024;
const encoder = new TextEncoder();

const NONE: Elisions = { list: [], isPartial: false };

/**
 * Undefined for what is no UTF-8 (what cannot be read exactly cannot be edited exactly), or has so many parts that reading it would
 * hold up everybody else.
 */
export async function abridgedBody(bytes: Uint8Array, budget = READ_BUDGET): Promise<AbridgedBody | undefined> {
  const elisions = bytes.length <= Math.min(SHORT, budget) ? NONE : await elisionsIn(bytes, budget);
  if (elisions === undefined) return undefined;
  const { list, isPartial } = elisions;
  if (list.length > 0) return withMarks(bytes, list, isPartial);
  const text = utf8Text(bytes);
  return text === undefined ? undefined : { text, isPartial, restore: (edited) => encoder.encode(edited) };
}

function withMarks(bytes: Uint8Array, elisions: readonly Elision[], isPartial: boolean): AbridgedBody | undefined {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { start, end } of elisions) {
    pieces.push(bytes.subarray(from, start));
    from = end;
  }
  const texts = [...pieces, bytes.subarray(from)].map(utf8Text);
  if (texts.includes(undefined)) return undefined;
  const stem = unusedStem(texts.join(""));
  const marks = elisions.map(({ start, end, sum }, index) =>
    // Within a string it tells what is left out, the same in each request that carries it.
    sum === undefined ? `"${stem}${index}"` : `${stem}${end - start}.${sum}.`,
  );
  const text = texts.reduce<string>((all, piece, i) => `${all}${marks[i - 1] ?? ""}${piece}`, "");
  return {
    text,
    isPartial,
    restore(edited) {
      const pieces: Uint8Array[] = [];
      let at = 0;
      for (const [index, { start, end }] of elisions.entries()) {
        const mark = marks[index] ?? "";
        const markAt = edited.indexOf(mark, at);
        // An edit may have replaced the whole list.
        if (markAt === -1) continue;
        pieces.push(encoder.encode(edited.slice(at, markAt)), bytes.subarray(start, end));
        at = markAt + mark.length;
      }
      return joinBytes([...pieces, encoder.encode(edited.slice(at))]);
    },
  };
}
