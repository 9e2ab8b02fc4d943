import { describe, expect, it } from "vitest";
import { type Framing, jsonArray, ndjson } from "../../src/protocols/framing.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const elements = ['{"a":"}],[{ \\" é 箱 \\\\","b":[{"c":{}}]}', "{}", '{\n  "d": "]"\n}'];
const lines = ['{"a":"箱根"}', '{"b":"😀"}', '{"c":3}'];

function sliced({ slicer }: Framing, ...pieces: readonly Uint8Array[]) {
  const cut = slicer(1_000);
  const slices = [...pieces.flatMap((piece) => cut.push(piece)), cut.rest()];
  return {
    text: Buffer.concat(slices.map(({ bytes }) => bytes)).toString(),
    events: slices.flatMap(({ event }) => event?.data ?? []),
    isOutgrown: slices.some(({ isPiece }) => isPiece),
  };
}

describe.each([
  { name: "JSON lines", framing: ndjson, text: `${lines[0]}\n\n${lines[1]}\r\n${lines[2]}\n`, events: lines },
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
      const cut = sliced(framing, whole.subarray(0, at), whole.subarray(at));
      expect(cut).toEqual({ text, events, isOutgrown: false });
    }
  });

  it("are sliced without an event where one outgrows the bound, and with one behind it", () => {
    const long = bytesOf(`{"a":"${"x".repeat(2_000)}"}\n`);
    const cut = sliced(framing, long.subarray(0, 1_500), long.subarray(1_500), bytesOf('{"b":1}\n'));
    expect(cut).toMatchObject({ events: ['{"b":1}'], isOutgrown: true });
  });

  it("come back from their text", () => {
    const told = events.map((data) => ({ event: undefined, data: JSON.stringify(JSON.parse(data)) }));
    const { write } = framing;
    const written =
      write(told.slice(0, 1), { begins: true, ends: false }) +
      write(told.slice(1), { begins: false, ends: false }) +
      write([], { begins: false, ends: true });
    expect(sliced(framing, bytesOf(written)).events).toEqual(told.map(({ data }) => data));
  });

  it.each(["}}}]]]{}", '"', "[[[{}]]]", "nonsense", "[{}{}"])("are no error in a wrong form: %s", (odd) => {
    expect(() => sliced(framing, bytesOf(odd))).not.toThrow();
  });
});

it("a line may lack its end, and says nothing if it is blank", () => {
  expect(sliced(ndjson, bytesOf('{"a":1}\n{"b"')).events).toEqual(['{"a":1}', '{"b"']);
  expect(ndjson.slicer(9).push(bytesOf("\n"))).toMatchObject([{ event: undefined, isComment: true }]);
});

it("an array may be an object alone, as errors are", () => {
  expect(sliced(jsonArray, bytesOf('{"error":{"code":400}}')).events).toEqual(['{"error":{"code":400}}']);
});
