import { joinBytes } from "../text/bytes.ts";
import { type SseListener, type SseScanner, type SseSlice, type SseSlicer, utf8Reader } from "../sse/sse.ts";
import type { Framing } from "./framing.ts";

const LF = 10;

/** One JSON text a line, without names. A blank line says nothing. */
export const ndjson: Framing = {
  contentType: "application/x-ndjson",
  carries: (contentType) => contentType.toLowerCase().includes("ndjson"),
  scanner: lineScanner,
  slicer: lineSlicer,
  write: (events) => events.map(({ data }) => `${data}\n`).join(""),
  endOfEvents: (bytes) => bytes.lastIndexOf(LF) + 1,
  startOfLastEvents,
  // A line end first: what was cut must not run into it. Clients throw what `error` says.
  broken: ({ error: { message } }) => `\n${JSON.stringify({ error: message })}\n`,
};

function lineScanner(maxEventChars: number, listener: SseListener): SseScanner {
  const decoder = utf8Reader();
  let pieces: string[] = [];
  let kept = 0;
  let outgrown = false;

  function tell(line: string): void {
    pieces.push(line);
    const data = pieces.join("");
    pieces = [];
    kept = 0;
    if (data.trim() !== "") listener.event({ event: undefined, data });
  }

  function feed(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      tell(text.slice(from, end));
      from = end + 1;
    }
    if (from === text.length) return;
    pieces.push(text.slice(from));
    kept += text.length - from;
    outgrown = kept > maxEventChars;
    if (outgrown) pieces = [];
  }

  return {
    push(bytes) {
      if (!outgrown) feed(decoder.push(bytes));
      return !outgrown;
    },
    end() {
      if (!outgrown) feed(`${decoder.end()}\n`);
    },
  };
}

function lineSlicer(maxEventBytes: number): SseSlicer {
  let pieces: Uint8Array[] = [];
  let kept = 0;
  /** The beginning of the next slice's line was given away already. */
  let isCut = false;

  function take(bytes: Uint8Array): Uint8Array {
    const whole = joinBytes([...pieces, bytes]);
    pieces = [];
    kept = 0;
    return whole;
  }

  function sliceOf(bytes: Uint8Array): SseSlice {
    const data = isCut ? "" : lineIn(bytes);
    const event = data === "" ? undefined : { event: undefined, data };
    const isComment = !isCut && event === undefined;
    isCut = false;
    return { bytes, event, isComment };
  }

  return {
    push(bytes) {
      const slices: SseSlice[] = [];
      let from = 0;
      for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, from)) {
        slices.push(sliceOf(take(bytes.subarray(from, end + 1))));
        from = end + 1;
      }
      if (from < bytes.length) {
        pieces.push(bytes.subarray(from));
        kept += bytes.length - from;
      }
      if (kept > maxEventBytes) {
        isCut = true;
        slices.push({ bytes: take(new Uint8Array()), event: undefined, isComment: false });
      }
      return slices;
    },
    // What has not ended may turn out to be anything.
    rest: () => ({ ...sliceOf(take(new Uint8Array())), isComment: false }),
  };
}

function lineIn(bytes: Uint8Array): string {
  const decoder = utf8Reader();
  return (decoder.push(bytes) + decoder.end()).trim();
}

function startOfLastEvents(bytes: Uint8Array, count: number): number {
  const slices = lineSlicer(bytes.length).push(bytes);
  let start = slices.reduce((sum, { bytes: own }) => sum + own.length, 0);
  let left = count;
  for (const { bytes: own, event } of slices.reverse()) {
    if (left === 0) break;
    start -= own.length;
    if (event !== undefined) left--;
  }
  return start;
}
