import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closingOf } from "../../../src/protocols/json/json.ts";
import { findNodeAtLocation, type JSONPath, parseTree } from "jsonc-parser";
import { placedObject } from "../../../src/protocols/json/place.ts";

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
