import type { Json } from "../../src/text/is-object.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText, cutTextsIn, LONGEST_TEXT } from "../../src/text/text-span.ts";

const long = (middle: string) => `${"a".repeat(LONGEST_TEXT)}${middle}${"z".repeat(LONGEST_TEXT)}`;

describe("cutText", () => {
  it("keeps head and tail of a longer one, within the span", () => {
    const cut = cutText(`HEAD${long("")}TAIL`);
    expect(cut.length).toBeLessThanOrEqual(LONGEST_TEXT);
    expect(cut.startsWith("HEAD")).toBe(true);
    expect(cut.endsWith("TAIL")).toBe(true);
  });

  it.each(["bc", "\ud800"])("tells apart what differs in its middle alone by %j", (other) => {
    expect(cutText(long(other))).not.toBe(cutText(long("b")));
    expect(cutText(long(other))).toBe(cutText(long(other)));
  });

  it("changes nothing when it is done twice, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 0, max: 3 * LONGEST_TEXT }), (text, length) => {
        const cut = cutText((text || "x").repeat(1 + length / Math.max(1, text.length)));
        return cutText(cut) === cut;
      }),
    );
  });
});

describe("cutTextsIn", () => {
  it("cuts texts at any depth, in lists and under any name", () => {
    const text = long("b");
    const parsed: Json = JSON.parse(
      JSON.stringify({ a: [{ b: text }, text, 1, null, "short"] }).replace('"b"', '"__proto__"'),
    );
    const expected: unknown = JSON.parse(
      JSON.stringify({ a: [{ b: cutText(text) }, cutText(text), 1, null, "short"] }).replace('"b"', '"__proto__"'),
    );
    expect(cutTextsIn(parsed)).toEqual(expected);
    expect(Object.keys((parsed as { a: object[] }).a[0] ?? {})).toEqual(["__proto__"]);
  });

  it("takes any depth of nesting", () => {
    const deep = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
    expect(Array.isArray(cutTextsIn(JSON.parse(deep)))).toBe(true);
  });
});
