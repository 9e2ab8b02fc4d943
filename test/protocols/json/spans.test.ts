import fc from "fast-check";
import { findNodeAtLocation, type JSONPath, parseTree } from "jsonc-parser";
import { expect, it } from "vitest";
import { elementsOf, membersOf, rootSpan } from "../../../src/protocols/json/json.ts";

const space = fc.constantFrom(0, 1, "\t");

it("places lie where a full parser finds them", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), space, (object, indent) => {
      const text = JSON.stringify(object, null, indent);
      const tree = parseTree(text);
      const at = (path: JSONPath) => {
        const node = tree && findNodeAtLocation(tree, path);
        return node && { start: node.offset, end: node.offset + node.length };
      };
      for (const [key, span] of membersOf(text, rootSpan(text))) {
        expect(span).toEqual(at([key]));
        const inner = elementsOf(text, span);
        expect(inner).toEqual(inner.map((_, index) => at([key, index])));
      }
    }),
  );
});
