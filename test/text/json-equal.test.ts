import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalJson } from "../../src/text/json-equal.ts";

const nested = (depth: number, innermost: string) =>
  JSON.parse(`${'{"a":'.repeat(depth)}${innermost}${"}".repeat(depth)}`);

describe("two JSON values are", () => {
  it.each([
    { name: "in another order of keys", one: '{"a":1,"b":[{"c":2,"d":3}]}', other: '{"b":[{"d":3,"c":2}],"a":1}' },
    { name: "with numbers written differently", one: "[1,10]", other: "[1.0,1e1]" },
    { name: "with names of methods", one: '{"constructor":{"valueOf":1}}', other: '{"constructor":{"valueOf":1}}' },
    { name: "with __proto__ as a name", one: '{"__proto__":{"a":1}}', other: '{"__proto__":{"a":1}}' },
  ])("equal $name", ({ one, other }) => {
    expect(equalJson(JSON.parse(one), JSON.parse(other))).toBe(true);
  });

  it.each([
    { name: "in another order of elements", one: "[1,2]", other: "[2,1]" },
    { name: "with one key more", one: '{"a":1}', other: '{"a":1,"b":null}' },
    { name: "of another type", one: '{"a":"1"}', other: '{"a":1}' },
    { name: "null and an empty object", one: "null", other: "{}" },
    { name: "an empty list and an empty object", one: "[]", other: "{}" },
    { name: "with other values under names of methods", one: '{"toString":1}', other: '{"toString":2}' },
    { name: "with a name of a method on one side", one: '{"valueOf":1}', other: '{"a":1}' },
    { name: "with another __proto__", one: '{"__proto__":{"a":1}}', other: '{"__proto__":{"a":2}}' },
  ])("JSON values are not equal $name", ({ one, other }) => {
    expect(equalJson(JSON.parse(one), JSON.parse(other))).toBe(false);
  });

  it("compared at any depth, and nothing breaks", () => {
    expect(equalJson(nested(500, '{"b":1,"c":2}'), nested(500, '{"c":2,"b":1}'))).toBe(true);
    expect(equalJson(nested(2_000, "1"), nested(2_000, "1"))).toBe(true);
    expect(equalJson(nested(2_000, "1"), nested(2_000, "2"))).toBe(false);
    expect(() => equalJson(nested(100_000, "1"), nested(100_000, "1"))).not.toThrow();
  });

  it("equal as often as their sorted texts are", () => {
    const sorted = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(sorted);
      if (typeof value !== "object" || value === null) return value;
      return Object.entries(value)
        .map(([key, inner]) => [key, sorted(inner)])
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    };
    const keys = fc.constantFrom("a", "b", "constructor", "valueOf", "toString", "__proto__");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(null, 0, 1, "", true),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(keys, tie("value"), { maxKeys: 2 }).map((one) => JSON.parse(JSON.stringify(one))),
      ),
    }));
    fc.assert(
      fc.property(value, value, (one, other) => {
        const isEqual =
          JSON.stringify([typeof one, Array.isArray(one), sorted(one)]) ===
          JSON.stringify([typeof other, Array.isArray(other), sorted(other)]);
        // An object without names and a list without elements are sorted to the same text.
        fc.pre(!JSON.stringify([one, other]).includes("[]"));
        expect(equalJson(one, other)).toBe(isEqual);
      }),
    );
  });
});
