import { describe, expect, it } from "vitest";
import { type Framing, jsonArray, ndjson } from "../../src/protocols/framing.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const elements = ['{"a":"}],[{ \\" é 箱 \\\\","b":[{"c":{}}]}', "{}", '{\n  "d": "]"\n}'];
const lines = ['{"a":"箱根"}', '{"b":"😀"}', '{"c":3}'];

function scanned({ scanner }: Framing, pieces: readonly Uint8Array[]) {
  const found: string[] = [];
  const reader = scanner(1_000, ({ data }) => void found.push(data.trim()));
  const holds = pieces.map((piece) => reader.push(piece));
  reader.end();
  return { found, holds };
}

function sliced({ slicer }: Framing, pieces: readonly Uint8Array[]) {
  const cut = slicer(1_000);
  const slices = [...pieces.flatMap((piece) => cut.push(piece)), cut.rest()];
  return {
    text: Buffer.concat(slices.map(({ bytes }) => bytes)).toString(),
    events: slices.flatMap(({ event }) => event?.data ?? []),
  };
}

describe.each([
  { name: "JSON lines", framing: () => ndjson, text: `${lines[0]}\n\n${lines[1]}\r\n${lines[2]}\n`, events: lines },
  {
    name: "a JSON array",
    framing: jsonArray,
    text: `\n[${elements[0]}\n,\r\n${elements[1]} ,${elements[2]}\n]\n`,
    events: elements,
  },
])("$name", ({ framing, text, events }) => {
  const whole = bytesOf(text);

  it("are the same however they are cut, within a character too, and without a byte lost", () => {
    for (let at = 0; at <= whole.length; at++) {
      const pieces = [whole.subarray(0, at), whole.subarray(at)];
      expect(scanned(framing(), pieces).found).toEqual(events);
      expect(sliced(framing(), pieces)).toEqual({ text, events });
    }
  });

  it("are given up, or sliced without it, where an event outgrows the bound", () => {
    const long = bytesOf(`{"a":"${"x".repeat(2_000)}"}\n`);
    const pieces = [long.subarray(0, 1_500), long.subarray(1_500), bytesOf('{"b":1}\n')];
    expect(scanned(framing(), pieces).holds).toContain(false);
    expect(sliced(framing(), pieces).events).toEqual(['{"b":1}']);
  });

  it("come back from their text", () => {
    const told = events.map((data) => ({ event: undefined, data: JSON.stringify(JSON.parse(data)) }));
    const { write } = framing();
    const written =
      write(told.slice(0, 1), { begins: true, ends: false }) +
      write(told.slice(1), { begins: false, ends: false }) +
      write([], { begins: false, ends: true });
    expect(scanned(framing(), [bytesOf(written)]).found).toEqual(told.map(({ data }) => data));
  });

  it.each(["}}}]]]{}", '"', "[[[{}]]]", "nonsense", "[{}{}"])("are no error in a wrong form: %s", (odd) => {
    expect(() => scanned(framing(), [bytesOf(odd)])).not.toThrow();
  });
});

it("lines may lack the last one's end, say nothing by a blank one, and are found from the end", () => {
  expect(scanned(ndjson, [bytesOf('{"a":1}\n{"b"')]).found).toEqual(['{"a":1}', '{"b"']);
  expect(ndjson.slicer(9).push(bytesOf("\n"))).toMatchObject([{ event: undefined, isComment: true }]);
  expect(ndjson.endOfEvents(bytesOf('1\n2\n"3'))).toBe(4);
  expect([1, 2, 3].map((count) => ndjson.startOfLastEvents(bytesOf('1\n\n2\n3\n"4'), count))).toEqual([5, 3, 0]);
});

it("an array may be an object alone, as errors are, and tells where elements end in what was read last", () => {
  expect(scanned(jsonArray(), [bytesOf('{"error":{"code":400}}')]).found).toEqual(['{"error":{"code":400}}']);
  const framing = jsonArray();
  const scanner = framing.scanner(1_000, () => undefined);
  scanner.push(bytesOf('[{"a":"'));
  const latest = bytesOf('}]"},{"b":1},{"c":');
  scanner.push(latest);
  expect(framing.endOfEvents(latest)).toBe('}]"},{"b":1}'.length);
  expect(framing.startOfLastEvents(latest, 1)).toBe('}]"}'.length);
});
