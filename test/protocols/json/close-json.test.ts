import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closingOf } from "../../../src/protocols/json/json.ts";

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
