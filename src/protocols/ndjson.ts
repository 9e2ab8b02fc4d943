import { type SseEvent, type SseScanner, type SseSlicer, slicerBy, startOfLast, utf8Reader } from "../sse/sse.ts";
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
  startOfLastEvents: (bytes, count) => startOfLast(lineSlicer(bytes.length), bytes, count),
  // A line end first: what was cut must not run into it. Clients throw what `error` says.
  broken: ({ error: { message } }) => `\n${JSON.stringify({ error: message })}\n`,
};

function lineScanner(maxEventChars: number, tell: (event: SseEvent) => void): SseScanner {
  const decoder = utf8Reader();
  let pieces: string[] = [];
  let kept = 0;
  let outgrown = false;

  function take(line: string): void {
    pieces.push(line);
    const data = pieces.join("");
    pieces = [];
    kept = 0;
    if (data.trim() !== "") tell({ event: undefined, data });
  }

  function feed(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      take(text.slice(from, end));
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
  return slicerBy({ ends: lineEnds, eventIn: lineIn, isComment: () => true }, maxEventBytes);
}

function lineEnds(bytes: Uint8Array): readonly number[] {
  const ends: number[] = [];
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, end + 1)) ends.push(end + 1);
  return ends;
}

function lineIn(bytes: Uint8Array): SseEvent | undefined {
  const decoder = utf8Reader();
  const data = (decoder.push(bytes) + decoder.end()).trim();
  return data === "" ? undefined : { event: undefined, data };
}
