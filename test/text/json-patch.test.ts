import fc from "fast-check";
import jsonPatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { jsonPatch as patchOf } from "../../src/text/json-patch.ts";

function applied(before: unknown, after: unknown): unknown {
  const operations = structuredClone(patchOf(before, after)) as Operation[];
  return jsonPatch.applyPatch(structuredClone(before), operations, true).newDocument;
}

describe("a JSON Patch", () => {
  it.each([
    { name: "nothing", before: { a: [1, { b: null }] }, after: { a: [1, { b: null }] }, patch: [] },
    {
      name: "tools taken out, and a choice made",
      before: { tools: ["search", "done", "open"] },
      after: { tools: ["done"], tool_choice: "done" },
      patch: [
        { op: "remove", path: "/tools/0" },
        { op: "remove", path: "/tools/1" },
        { op: "add", path: "/tool_choice", value: "done" },
      ],
    },
    {
      name: "names that a pointer writes otherwise",
      before: { "a/b": 1, "c~d": 1 },
      after: { "a/b": 2 },
      patch: [
        { op: "remove", path: "/c~0d" },
        { op: "replace", path: "/a~1b", value: 2 },
      ],
    },
  ])("tells $name, and no more", ({ before, after, patch }) => {
    expect(patchOf(before, after)).toEqual(patch);
    expect(applied(before, after)).toEqual(after);
  });

  it("makes any value any other one, as an independent implementation applies it", () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.integer({ max: 3, min: 0 }),
        fc.string({ maxLength: 2 }),
        tie("list"),
        tie("record"),
      ),
      list: fc.array(tie("value"), { maxLength: 5 }),
      record: fc.dictionary(fc.constantFrom("a", "b", "c/d", "e~f"), tie("value"), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    }));
    const makes = fc.property(value, value, (before, after) => {
      expect(applied({ it: before }, { it: after })).toEqual({ it: after });
    });
    fc.assert(makes);
  });
});
