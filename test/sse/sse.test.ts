import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinBytes } from "../../src/text/bytes.ts";
import { endOfEvents, type SseEvent, sseReader, sseSlicer, sseText } from "../../src/sse/sse.ts";
import { soundStream, strangeStream, type Streamed } from "../support/builders/streams.ts";

const anyStream = fc.oneof(soundStream(), strangeStream);

const utf8 = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** What the parser makes of the whole text at once; the reader beside it takes shorter ways. */
function parsed(bytes: Uint8Array): readonly SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) });
  const text = new TextDecoder().decode(bytes);
  if (text !== "") parser.feed(text);
  parser.feed("\n\n");
  return events;
}

const anyBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "data: a\n\n",
        "data: {}\n\n",
        "data:b\n\n",
        "data: c\ndata: d\n\n",
        "event: e\n",
        "event: \n",
        "event: g\ndata: h\n\n",
        "data: f\n",
        "data: g\r",
      ),
      fc.constantFrom(
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        ": comment\n\n",
        "data",
        "data: ",
        "id: 1\n",
        "é🎉",
        "\ufeff",
        "x\n\n",
      ),
      fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
    ),
    { maxLength: 14 },
  )
  .map((parts) => Buffer.from(parts.join("")));

const cut = (bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] => {
  const at = [...new Set(cuts.map((one) => one % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
};

describe("sseReader", () => {
  const eventsIn = (pieces: readonly Uint8Array[]) => {
    const reader = sseReader(1_000_000);
    return [...pieces.flatMap((piece) => reader.push(piece) ?? []), ...reader.end()];
  };

  it("finds the events of any bytes, however they are cut", () => {
    const cuts = fc.array(fc.nat(1_000), { maxLength: 12 });
    fc.assert(
      fc.property(anyBytes, cuts, (bytes, at) => {
        expect(eventsIn(cut(bytes, at))).toEqual(parsed(bytes));
      }),
    );
  });

  it.each([
    { name: "a lone carriage return", pieces: ["data: a\n\n", "data: b\rdata: c\n\n"] },
    { name: "two lines of data", pieces: ["data: a\n\n", "data: b\n\ndata: c\ndata: d\n\n"] },
    { name: "a cut before the last newline", pieces: ["data: a\n\n", "data: b\n", "\ndata: c\n\n"] },
    { name: "a line that only looks like data", pieces: ["data: a\n\n", "data : b\n\ndata: c\n\n"] },
  ])("finds them behind one that came by itself: $name", ({ pieces }) => {
    expect(eventsIn(pieces.map((piece) => Buffer.from(piece)))).toEqual(parsed(Buffer.from(pieces.join(""))));
  });

  it("finds them in single bytes, and in bytes that are no text", () => {
    const bytes = fc.oneof(anyBytes, fc.uint8Array({ maxLength: 20 }));
    fc.assert(
      fc.property(bytes, (all) => {
        const single = Array.from(all, (byte) => Uint8Array.of(byte));
        expect(eventsIn(single)).toEqual(parsed(all));
      }),
    );
  });

  it.each([
    { name: "a mark at the beginning", bytes: Buffer.from("\ufeffdata: a\n\n"), data: ["a"] },
    {
      name: "a mark further on, which is text",
      bytes: Buffer.from("data: a\n\ndata: \ufeffb\n\n"),
      data: ["a", "\ufeffb"],
    },
  ])("reads $name, whole and bytewise", ({ bytes, data }) => {
    expect(eventsIn([bytes]).map((event) => event.data)).toEqual(data);
    expect(eventsIn(Array.from(bytes, (byte) => Uint8Array.of(byte))).map((event) => event.data)).toEqual(data);
  });

  it("gives up an event that outgrows its bound, and all that follows", () => {
    const reader = sseReader(20);
    expect(reader.push(Buffer.from("data: a\n\n"))).toHaveLength(1);
    expect(reader.push(Buffer.from(`data: ${"x".repeat(30)}`))).toBeUndefined();
    expect(reader.push(Buffer.from("\n\ndata: b\n\n"))).toBeUndefined();
  });
});

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

  it("takes blank lines that come at once for one slice", () => {
    const { slices } = slicesOf({ pieces: [Buffer.from("data: a\n\n\n\n\n\n: c\n\n")] });
    expect(slices.map(({ bytes }) => utf8(bytes))).toEqual(["data: a\n\n", "\n\n\n\n", ": c\n\n"]);
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
