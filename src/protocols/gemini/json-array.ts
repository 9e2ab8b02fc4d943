import { slicerBy } from "../../sse/sse.ts";
import type { Framing, StreamEvent } from "../framing.ts";

/**
 * Framing of one stream without `alt=sse`: a JSON array whose elements come one by one. An error may come as an object alone. A
 * slice is an element with what stands before it, so that a comma goes with what follows it. What is asked about bytes is asked
 * about those that its scanner was given last: where a string ends cannot be seen in the middle of a stream.
 */
export function jsonArray(): Framing {
  let ends: readonly number[] = [];
  return {
    contentType: "application/json; charset=UTF-8",
    carries: (contentType) => /^application\/json\b/i.test(contentType.trim()),
    scanner(maxEventChars, tell) {
      const cut = elementSlicer(maxEventChars);
      return {
        push(bytes) {
          const slices = cut.push(bytes);
          ends = cut.ends();
          for (const { event } of slices) if (event !== undefined) tell(event);
          return slices.every(({ event }) => event !== undefined);
        },
        end: () => undefined,
      };
    },
    slicer: elementSlicer,
    write(events, { begins, ends: isEnd }) {
      const before = begins ? "[" : events.length === 0 ? "" : ",\n";
      return `${before}${events.map(({ data }) => data).join(",\n")}${isEnd ? "]" : ""}`;
    },
    endOfEvents: () => ends.at(-1) ?? 0,
    startOfLastEvents: (_, count) => ends.at(-1 - count) ?? 0,
    broken: (error) => `,${JSON.stringify(error)}]`,
  };
}

const decoder = new TextDecoder();

/** Cuts a stream behind each element of the outermost array. `ends` gives where, in the bytes that came last. */
function elementSlicer(maxEventBytes: number) {
  const endsIn = elementEnds();
  let latest: readonly number[] = [];
  const ends = (bytes: Uint8Array) => {
    latest = endsIn(bytes);
    return latest;
  };
  return { ...slicerBy({ ends, eventIn: elementIn, isComment: () => false }, maxEventBytes), ends: () => latest };
}

function elementIn(slice: Uint8Array, isWhole: boolean): StreamEvent | undefined {
  return isWhole ? { event: undefined, data: decoder.decode(slice.subarray(slice.indexOf(BRACE))) } : undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Finds where elements end in bytes, in whatever pieces they come. All that it looks for is ASCII, so no character is cut. */
function elementEnds(): (bytes: Uint8Array) => readonly number[] {
  let depth = 0;
  /** Elements stand within a bracket. */
  let isList = false;
  let inString = false;
  let isEscaped = false;
  return (bytes) => {
    const ends: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (inString) {
        isEscaped = byte === BACKSLASH;
        inString = byte !== QUOTE;
      } else if (byte === QUOTE) inString = true;
      else if (byte === BRACE || byte === BRACKET) {
        if (depth === 0) isList = byte === BRACKET;
        depth++;
      } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
        depth = Math.max(0, depth - 1);
        if (byte === CLOSING_BRACE && depth === (isList ? 1 : 0)) ends.push(at + 1);
      }
    }
    return ends;
  };
}
