import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ndjson } from "../../src/protocols/framing.ts";

const encoder = new TextEncoder();
const text = '{"a":"箱根"}\n\n{"b":"😀"}\r\n{"c":3}\n';

function scanned(pieces: readonly Uint8Array[], max = 1_000) {
  const lines: string[] = [];
  const scanner = ndjson.scanner(max, ({ data }) => lines.push(data.trim()));
  const holds = pieces.map((piece) => scanner.push(piece));
  scanner.end();
  return { lines, holds };
}

function sliced(pieces: readonly Uint8Array[], max = 1_000) {
  const slicer = ndjson.slicer(max);
  const slices = [...pieces.flatMap((piece) => slicer.push(piece)), slicer.rest()];
  return slices.filter(({ bytes }) => bytes.length > 0).map(({ bytes, ...rest }) => ({ ...rest, bytes: [...bytes] }));
}

describe("JSON lines", () => {
  const bytes = encoder.encode(text);
  const lines = ['{"a":"箱根"}', '{"b":"😀"}', '{"c":3}'];

  it("are the same however they are cut, within a character too", () => {
    const whole = sliced([bytes]);
    expect(whole.map(({ event }) => event?.data)).toEqual([lines[0], undefined, lines[1], lines[2]]);
    for (let at = 0; at <= bytes.length; at++) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(scanned(pieces).lines).toEqual(lines);
      expect(sliced(pieces)).toEqual(whole);
    }
  });

  it("come back from their text in any pieces", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.array(fc.nat()), (values, cuts) => {
        const events = values.map((value) => ({ event: undefined, data: JSON.stringify(value) }));
        const all = encoder.encode(ndjson.write(events, { begins: true, ends: true }));
        const ends = [...cuts.map((cut) => cut % (all.length + 1)), all.length].toSorted((one, other) => one - other);
        const pieces = ends.map((end, at) => all.subarray(ends[at - 1] ?? 0, end));
        expect(scanned(pieces).lines).toEqual(events.map(({ data }) => data));
        expect(sliced(pieces).flatMap((slice) => slice.bytes)).toEqual([...all]);
      }),
    );
  });

  it("may lack the last line's end", () => {
    expect(scanned([encoder.encode('{"a":1}\n{"b"')]).lines).toEqual(['{"a":1}', '{"b"']);
  });

  it("say nothing by a blank line", () => {
    expect(sliced([encoder.encode("\n")])).toEqual([{ event: undefined, isComment: true, bytes: [10] }]);
  });

  it("end for good with one that outgrows the bound", () => {
    const long = encoder.encode(`"${"x".repeat(20)}"\n`);
    expect(scanned([long.subarray(0, 15), long.subarray(15), encoder.encode("1\n")], 10)).toEqual({
      lines: [],
      holds: [false, false, false],
    });
  });

  it("are sliced without an event where one outgrows the bound, and with one behind it", () => {
    const slices = sliced([encoder.encode(`"${"x".repeat(20)}`), encoder.encode('x"\n1\n')], 10);
    expect(slices.map(({ event, isComment }) => [event?.data, isComment])).toEqual([
      [undefined, false],
      [undefined, false],
      ["1", false],
    ]);
  });

  it("are found from the end", () => {
    expect(ndjson.endOfEvents(encoder.encode('1\n2\n"3'))).toBe(4);
    const end = encoder.encode('1\n\n2\n3\n"4');
    expect([1, 2, 3].map((count) => ndjson.startOfLastEvents(end, count))).toEqual([5, 3, 0]);
  });

  it("break off with an error in a line of its own", () => {
    const broken = ndjson.broken({ type: "error", error: { type: "api_error", code: "x", message: "Gone." } });
    expect(`{"a":"b${broken}`.split("\n").slice(1)).toEqual(['{"error":"Gone."}', ""]);
  });
});
