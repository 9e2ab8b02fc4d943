import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sseSlicer, sseText, type SseEvent } from "../../src/sse/sse.ts";
import { anyStream as chatStream } from "../support/builders/streams.ts";

function parsed(bytes: Uint8Array): readonly SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) });
  const text = new TextDecoder().decode(bytes);
  if (text !== "") parser.feed(text);
  parser.feed("\n\n");
  return events;
}

function sliced(pieces: readonly Uint8Array[], most = 1_000_000) {
  const slicer = sseSlicer(most);
  const slices = [...pieces.flatMap((piece) => slicer.push(piece)), slicer.rest()];
  return {
    slices,
    texts: slices.map(({ bytes }) => Buffer.from(bytes).toString()).filter((text) => text !== ""),
    events: slices.flatMap(({ event }) => event ?? []),
    bytes: Buffer.concat(slices.map(({ bytes }) => bytes)),
  };
}

const single = (bytes: Uint8Array) => Array.from(bytes, (byte) => Uint8Array.of(byte));

describe("a stream that is cut behind each event", () => {
  const odd = ["data: a\n\n", "data:b\n\n", "data: c\ndata: d\n\n", "event: e\n", "event: \n", "event: g\ndata: h\n\n"];
  const halves = [
    "data: f\n",
    "data: g\r",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    ": comment\n\n",
    "data",
    "data : x\n",
    "id: 1\n",
  ];
  const text = fc.oneof(fc.constantFrom(...odd), fc.constantFrom(...halves, "é🎉", "\ufeff", "x\n\n"));
  const anyBytes = fc
    .array(fc.oneof(text, fc.uint8Array({ maxLength: 4 }).map(String)), { maxLength: 14 })
    .map((parts) => Buffer.from(parts.join("")));
  const anyStream = fc.oneof(
    chatStream,
    anyBytes.map((bytes) => ({ bytes, pieces: single(bytes) })),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => ({ bytes, pieces: [bytes] })),
  );

  it("gives every byte back in order, and the events that a parser finds in all of it", () => {
    fc.assert(
      fc.property(anyStream, ({ bytes, pieces }) => {
        const cut = sliced(pieces);
        expect(cut.bytes.equals(bytes)).toBe(true);
        expect(cut.events).toEqual(parsed(bytes));
      }),
    );
  });

  it.each([
    ["line feeds", "data: a\n\ndata: b\n\n", ["data: a\n\n", "data: b\n\n"]],
    ["both", "data: a\r\n\r\ndata: b\r\n\r\ndata: c", ["data: a\r\n\r\n", "data: b\r\n\r\n", "data: c"]],
    ["carriage returns", "data: a\r\rdata: b\r\rdata: c", ["data: a\r\r", "data: b\r\r", "data: c"]],
    ["some of each", "data: a\n\r\ndata: b\r\n\ndata: c", ["data: a\n\r\n", "data: b\r\n\n", "data: c"]],
    ["blank lines", "\n\r\n: c\n\n", ["\n", "\r\n", ": c\n\n"]],
  ])("is so whatever ends its lines: %s", (_, whole, texts) => {
    expect(sliced([Buffer.from(whole)]).texts).toEqual(texts);
    expect(sliced(single(Buffer.from(whole))).texts).toEqual(texts);
  });

  it("has blank lines that come at once in one slice", () => {
    const { texts } = sliced([Buffer.from("data: a\n\n\n\n\n\n: c\n\n")]);
    expect(texts).toEqual(["data: a\n\n", "\n\n\n\n", ": c\n\n"]);
  });

  it("keeps no more of an event than it is told to", () => {
    const event = Buffer.from(`data: ${"x".repeat(100)}\n\n`);
    const { slices } = sliced([event.subarray(0, 60), event.subarray(60), event], 50);
    expect(slices.map(({ bytes, isPiece }) => [bytes.length, isPiece])).toEqual([
      [60, true],
      [48, true],
      [108, false],
      [0, false],
    ]);
  });
});

it.each([
  { event: undefined, data: "a" },
  { event: "error", data: "two\nlines" },
])("an event is read as what it was written from: %j", (event) => {
  expect(sliced([Buffer.from(sseText(event))]).events).toEqual([event]);
});
