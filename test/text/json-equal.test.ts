import { describe, expect, it } from "vitest";
import { equalJson } from "../../src/text/json-equal.ts";

const nested = (depth: number, innermost: string) =>
  JSON.parse(`${'{"a":'.repeat(depth)}${innermost}${"}".repeat(depth)}`);

describe("two JSON values are", () => {
  it.each([
    { name: "in another order of keys", one: '{"a":1,"b":[{"c":2,"d":3}]}', other: '{"b":[{"d":3,"c":2}],"a":1}' },
    { name: "with __proto__ as a name", one: '{"__proto__":{"a":1}}', other: '{"__proto__":{"a":1}}' },
  ])("equal $name", ({ one, other }) => {
    expect(equalJson(JSON.parse(one), JSON.parse(other))).toBe(true);
  });

  it.each([
    { name: "in another order of elements", one: "[1,2]", other: "[2,1]" },
    { name: "with other values under names of methods", one: '{"toString":1}', other: '{"toString":2}' },
    { name: "where a name is a method to the package", one: '{"valueOf":1}', other: '{"valueOf":1}' },
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
});
