import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closingOf, parseForReading, readInPieces } from "../../../src/protocols/json/json.ts";
import { findNodeAtLocation, type JSONPath, parseTree } from "jsonc-parser";
import { placedObject } from "../../../src/protocols/json/place.ts";
import { atOnce } from "../../../src/turns.ts";
import { requestWork } from "../../../src/work.ts";

describe("closingOf", () => {
  it.each([
    ["  \n", "{}"],
    ["{", "}"],
    ['{"a', '":null}'],
    ['{"a":', "null}"],
    ['{"a": "b', '"}'],
    ['{"a": "b\\', '\\"}'],
    ['{"a": "b\\u00', '00"}'],
    ['{"a": [1,', "null]}"],
    ['{"a": [{"b": [[', "]]}]}"],
    ['{"a": -', "0}"],
    ['{"a": 1e', "0}"],
    ['{"a": "}\\"]', '"}'],
  ])("closes %j with %j", (text, rest) => {
    expect(closingOf(text)).toBe(rest);
  });

  it.each(["nonsense", "}", '{"a" "b', "{'a': 1", '{"a": 1}}'])("leaves %j, which nothing can make whole", (text) => {
    expect(closingOf(text)).toBeUndefined();
  });

  it("closes the JSON of an object wherever it is cut, and adds nothing to a whole one", () => {
    const value = fc.jsonValue({ stringUnit: "binary", maxDepth: 2 });
    const anyObject = fc.dictionary(fc.string({ unit: "binary" }), value, { maxKeys: 2 });
    fc.assert(
      fc.property(anyObject, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        for (let end = 0; end <= text.length; end++) {
          const closed = text.slice(0, end) + closingOf(text.slice(0, end));
          expect(JSON.parse(closed)).toBeTypeOf("object");
        }
        expect(closingOf(text)).toBe("");
      }),
    );
  });
});

const space = fc.constantFrom(0, 1, "\t");

it("places lie where a full parser finds them", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), space, (object, indent) => {
      const text = JSON.stringify(object, null, indent);
      const tree = parseTree(text);
      const root = placedObject(text);
      const at = (path: JSONPath) => {
        const node = tree && findNodeAtLocation(tree, path);
        return node && text.slice(node.offset, node.offset + node.length);
      };
      for (const key of Object.keys(object)) {
        expect(root?.at(key)?.json()).toBe(at([key]));
        for (const [index, element] of (root?.at(key)?.elements() ?? []).entries())
          expect(element.json()).toBe(at([key, index]));
      }
    }),
  );
});

describe("a long text that is read in pieces", () => {
  const long = '"long, [{ '.repeat(14_000);
  const name = fc.constantFrom("a", "1", "0", "__proto__", 'b"', '\\"', "c,", "");
  const value = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, fc.constantFrom(long, 'a"', "\\", "[,", 1, null), tie("list"), tie("object")),
    list: fc.array(tie("value"), { maxLength: 5 }),
    object: fc.array(fc.tuple(name, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  })).value;
  const inPieces = (text: string) => atOnce(readInPieces(text, requestWork()));

  it("has the value that it has when it is parsed at once", () => {
    fc.assert(
      fc.property(value, space, (one, indent) => {
        const text = JSON.stringify({ long, one, again: [one, long, one] }, null, indent);
        expect(inPieces(text)).toEqual(parseForReading(text, requestWork()));
      }),
      { numRuns: 25 },
    );
  });

  it("is JSON where it would be at once", () => {
    const sign = fc.constantFrom("", ",", "]", "}", "[", "{", '"', ":", "1", " ", "\\");
    fc.assert(
      fc.property(value, fc.nat(), sign, fc.nat(2), (one, place, put, cut) => {
        const short = JSON.stringify({ one });
        const at = place % short.length;
        const broken = `${short.slice(0, at)}${put}${short.slice(at + cut)}`;
        const text = `[${JSON.stringify(long)},${broken},${JSON.stringify(long)}]`;
        expect(inPieces(text)).toEqual(parseForReading(text, requestWork()));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    { what: "members of names that are all new", one: (i: number) => `{"k${i}":1}`, count: 100_000 },
    { what: "lists", one: () => "[]", count: 100_000 },
    {
      what: "lists in lists",
      one: (i: number) => (i === 0 ? `${"[".repeat(200_000)}${"]".repeat(200_000)}` : "1"),
      count: 2,
    },
  ])("gives way between its $what, and is not read where they are too many", ({ one, count }) => {
    const text = (times: number) => `[${Array.from({ length: times }, (_, i) => one(i)).join()}]`;
    let pauses = 0;
    for (const _ of readInPieces(text(count), requestWork())) pauses += 1;
    expect(pauses).toBeGreaterThan(1);
    const work = requestWork();
    work.spend(5_000_000);
    expect([atOnce(readInPieces(text(count), work)), work.isSpent()]).toEqual([undefined, true]);
  });

  it.each(["[", '{"a":'])("stops at too many that begin with %s and are never closed", (beginning) => {
    const work = requestWork();
    expect([atOnce(readInPieces(beginning.repeat(500_000), work)), work.isSpent()]).toEqual([undefined, true]);
  });
});
