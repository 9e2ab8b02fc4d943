import { describe, expect, it } from "vitest";
import { jsonArray } from "../../../src/protocols/framing.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const elements = ['{"a":"}],[{ \\" é 箱 \\\\","b":[{"c":{}}]}', "{}", '{\n  "d": "]"\n}'];
const laidOut = `\n[${elements[0]}\n,\r\n${elements[1]} ,${elements[2]}\n]\n`;

function scanned(...pieces: readonly Uint8Array[]) {
  const found: string[] = [];
  const scanner = jsonArray().scanner(1_000, ({ data }) => void found.push(data));
  const isWhole = pieces.map((piece) => scanner.push(piece));
  scanner.end();
  return { found, isWhole };
}

describe("a JSON array that comes element by element", () => {
  const whole = bytesOf(laidOut);

  it("is read the same cut at every byte position", () => {
    for (let at = 0; at <= whole.length; at++)
      expect(scanned(whole.subarray(0, at), whole.subarray(at)).found, `cut at ${at}`).toEqual(elements);
  });

  it("is sliced without a byte lost, a comma with what follows it", () => {
    for (let at = 0; at <= whole.length; at++) {
      const slicer = jsonArray().slicer(1_000);
      const slices = [...slicer.push(whole.subarray(0, at)), ...slicer.push(whole.subarray(at)), slicer.rest()];
      expect(slices.map(({ event }) => event?.data)).toEqual([...elements, undefined]);
      expect(Buffer.concat(slices.map(({ bytes }) => bytes)).toString()).toBe(laidOut);
    }
  });

  it("may be an object alone, as errors are", () => {
    expect(scanned(bytesOf('{"error":{"code":400}}')).found).toEqual(['{"error":{"code":400}}']);
  });

  it("that ends early has the elements that are whole", () => {
    expect(scanned(whole.subarray(0, whole.length - 6)).found).toEqual(elements.slice(0, 2));
  });

  it.each(["}}}]]]{}", '"', "[[[{}]]]", "]", "nonsense", "[{}{}"])("of a wrong form is no error: %s", (text) => {
    expect(() => scanned(bytesOf(text))).not.toThrow();
  });

  it("with an element beyond the bound is given up", () => {
    const long = bytesOf(`[{"a":"${"x".repeat(2_000)}"},{}]`);
    expect(scanned(long.subarray(0, 1_500), long.subarray(1_500)).isWhole).toContain(false);
    const slicer = jsonArray().slicer(1_000);
    const slices = [...slicer.push(long.subarray(0, 1_500)), ...slicer.push(long.subarray(1_500)), slicer.rest()];
    expect(slices.map(({ event }) => event?.data)).toEqual([undefined, undefined, "{}", undefined]);
    expect(Buffer.concat(slices.map(({ bytes }) => bytes))).toEqual(Buffer.from(long));
  });

  it("is written with its brackets where it begins and ends, and commas between", () => {
    const { write } = jsonArray();
    const [one, two] = elements.map((data) => ({ event: undefined, data }));
    if (one === undefined || two === undefined) throw new Error("no elements");
    const text =
      write([one], { begins: true, ends: false }) +
      write([two, one], { begins: false, ends: false }) +
      write([], { begins: false, ends: true });
    expect(JSON.parse(text)).toEqual([one, two, one].map(({ data }) => JSON.parse(data)));
    expect(JSON.parse(write([], { begins: true, ends: true }))).toEqual([]);
  });

  it("tells where the latest elements end in the bytes that were read last", () => {
    const framing = jsonArray();
    const scanner = framing.scanner(1_000, () => undefined);
    scanner.push(bytesOf('[{"a":"'));
    const latest = bytesOf('}]"},{"b":1},{"c":');
    scanner.push(latest);
    const text = (end: number) => Buffer.from(latest.subarray(0, end)).toString();
    expect(text(framing.endOfEvents(latest))).toBe('}]"},{"b":1}');
    expect(text(framing.startOfLastEvents(latest, 1))).toBe('}]"}');
  });
});
