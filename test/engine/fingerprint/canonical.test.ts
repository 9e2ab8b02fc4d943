import type { Json } from "../../../src/text/is-object.ts";
import { requestWork } from "../../../src/work.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalForm, jsonIn, parseJsonText } from "../../../src/engine/fingerprint/canonical.ts";
import { printOf } from "../../support/builders/detection.ts";
import { oddTexts } from "../../support/builders/odd-texts.ts";
import { call } from "../../support/builders/steps.ts";

const formOf = (json: string) => canonicalForm(parseJsonText(json, requestWork()), requestWork());
const actOf = (args: string) => printOf(call("lookup", args)).callsHash;

describe("arguments", () => {
  it.each([
    ["keys in another order, deep down", '{"x":[{"a":1,"b":{"c":1,"d":2}}]}', '{"x":[{"b":{"d":2,"c":1},"a":1}]}'],
    ["escapes", '{"a":"é/"}', '{"a":"\\u00e9\\/"}'],
  ])("mean the same: %s", (_, a, b) => expect(actOf(a)).toBe(actOf(b)));

  it.each([
    ["a number and its text", '{"a":1}', '{"a":"1"}'],
    ["long ids beyond 2^53", '{"id":9007199254740993}', '{"id":9007199254740992}'],
    ["a __proto__ key and none", '{"__proto__":1,"a":1}', '{"a":1}'],
  ])("differ: %s", (_, a, b) => expect(actOf(a)).not.toBe(actOf(b)));
});

it("gives up on values that nest too deep, and the call is compared as text", () => {
  const deep = (inner: string) => `${"[".repeat(5_000)}${inner}${"]".repeat(5_000)}`;
  expect(formOf(deep("1"))).toBeUndefined();
  expect(actOf(deep("1"))).toBe(actOf(deep("1")));
  expect(actOf(deep("1"))).not.toBe(actOf(deep("2")));
});

it("writes any value as JSON does, but for sorted keys and a comma after each item", () => {
  const plainly = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map((item) => `${plainly(item)},`).join("")}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${plainly(field)},`).join("")}}`;
  };
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      oddTexts,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "id", "10", "9", "__proto__"), oddTexts), tie("value")),
    ),
  }));
  fc.assert(
    fc.property(value, (any) => {
      const read: Json = JSON.parse(JSON.stringify(any));
      expect(canonicalForm(read, requestWork())).toBe(plainly(read));
    }),
  );
});

it.each(["", "1", "[1] of 2", "[INFO] done]"])("takes %j for text", (text) =>
  expect(jsonIn(text, requestWork())).toBeUndefined(),
);
