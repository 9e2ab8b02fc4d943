import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOfEvents, joinBytes, sseReader, sseSlicer, sseText } from "../src/sse.ts";
import { soundStream, strangeStream, type Streamed } from "./support/streams.ts";

const anyStream = fc.oneof(soundStream(), strangeStream);

const utf8 = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe("sseSlicer", () => {
  const slicesOf = ({ pieces }: Pick<Streamed, "pieces">, most = 1_000_000) => {
    const slicer = sseSlicer(most);
    const slices = pieces.flatMap((piece) => slicer.push(piece));
    return { slices, rest: slicer.rest() };
  };

  it.each([
    { ends: "line feeds", text: "data: a\n\ndata: b\n\n", slices: ["data: a\n\n", "data: b\n\n"] },
    { ends: "both", text: "data: a\r\n\r\ndata: b\r\n\r\ndata: c", slices: ["data: a\r\n\r\n", "data: b\r\n\r\n"] },
    { ends: "carriage returns", text: "data: a\r\rdata: b\r\rdata: c", slices: ["data: a\r\r", "data: b\r\r"] },
    { ends: "some of each", text: "data: a\n\r\ndata: b\r\n\ndata: c", slices: ["data: a\n\r\n", "data: b\r\n\n"] },
    { ends: "blank lines", text: "\n\r\n: c\n\n", slices: ["\n", "\r\n", ": c\n\n"] },
  ])("cuts behind each event, whatever ends its lines: $ends", ({ text, slices }) => {
    expect(slicesOf({ pieces: [Buffer.from(text)] }).slices.map(({ bytes }) => utf8(bytes))).toEqual(slices);
    const bytewise = slicesOf({ pieces: [...text].map((char) => Buffer.from(char)) });
    expect(bytewise.slices.map(({ bytes }) => utf8(bytes))).toEqual(slices);
  });

  it("gives every byte back in order, and the events that a reader finds", () => {
    fc.assert(
      fc.property(anyStream, (came) => {
        const { slices, rest } = slicesOf(came);
        expect(Buffer.from(joinBytes([...slices, rest].map(({ bytes }) => bytes))).equals(came.bytes)).toBe(true);
        const reader = sseReader(1_000_000);
        const events = [...(reader.push(came.bytes) ?? []), ...reader.end()];
        expect([...slices, rest].flatMap(({ event }) => event ?? [])).toEqual(events);
      }),
    );
  });

  it("keeps no more of an event than it is told to", () => {
    const event = Buffer.from(`data: ${"x".repeat(100)}\n\n`);
    const { slices, rest } = slicesOf({ pieces: [event.subarray(0, 60), event.subarray(60), event] }, 50);
    expect(slices.map(({ bytes }) => bytes.length)).toEqual([60, 48, 108]);
    expect(slices.map(({ event }) => event === undefined)).toEqual([true, true, false]);
    expect(rest.bytes).toHaveLength(0);
  });

  it("tells the event that only lacks its blank line", () => {
    expect(slicesOf({ pieces: [Buffer.from("data: a\n\ndata: b")] }).rest.event).toEqual({
      event: undefined,
      data: "b",
    });
  });
});

describe("endOfEvents", () => {
  it("ends where the reader has the last whole event, however the stream is cut", () => {
    fc.assert(
      fc.property(anyStream, ({ pieces }) => {
        const reader = sseReader(1_000_000);
        let passed = Buffer.of();
        const told: string[] = [];
        for (const piece of pieces) {
          const events = reader.push(piece) ?? [];
          told.push(...events.map(({ data }) => data));
          if (events.length === 0) {
            passed = Buffer.concat([passed, piece]);
            continue;
          }
          // Cut here, and with something of ours behind it, nothing is lost and nothing is half there.
          const cut = Buffer.concat([passed, piece.subarray(0, endOfEvents(piece)), Buffer.from("data: ours\n\n")]);
          const whole = sseReader(1_000_000);
          expect((whole.push(cut) ?? []).map(({ data }) => data)).toEqual([...told, "ours"]);
          passed = Buffer.concat([passed, piece]);
        }
      }),
    );
  });
});

describe("sseText", () => {
  it.each([
    { event: undefined, data: "a" },
    { event: "error", data: "two\nlines" },
  ])("is read as what it was: %j", (event) => {
    expect(sseReader(1_000).push(Buffer.from(sseText(event)))).toEqual([event]);
  });
});
