import fc from "fast-check";
import { findNodeAtLocation, type JSONPath, parseTree } from "jsonc-parser";
import { expect, it } from "vitest";
import { placedObject } from "../../../src/protocols/json/place.ts";

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
