import { describe, expect, it } from "vitest";
import { utf8Text } from "../../src/text/bytes.ts";
import { equalJson } from "../../src/text/json-equal.ts";
import fc from "fast-check";
import jsonPatch, { type Operation } from "fast-json-patch";
import { jsonPatch as patchOf } from "../../src/text/json-patch.ts";
import { createHash } from "node:crypto";
import { keyedHash, randomSecret } from "../../src/text/keyed-hash.ts";
import type { Json } from "../../src/text/is-object.ts";
import { cutText, cutTextsIn, LONGEST_TEXT } from "../../src/text/text-span.ts";

describe("the text of bytes", () => {
  const of = (...bytes: number[]) => Uint8Array.from(bytes);
  const encoded = (text: string) => new TextEncoder().encode(text);

  it.each([
    ["of ASCII", encoded('{"a":"b\\n"}\u0000\u007f'), '{"a":"b\\n"}\u0000\u007f'],
    ["of other letters", encoded("naïve 日本語 🎈"), "naïve 日本語 🎈"],
    ["with a byte order mark", encoded("\ufeff{}"), "\ufeff{}"],
    ["of a part of a buffer", encoded("abcdef").subarray(2, 4), "cd"],
  ])("is what was encoded: %s", (_, bytes, text) => {
    expect(utf8Text(bytes)).toBe(text);
  });

  it.each([
    ["a character that is cut off", encoded("日").subarray(0, 2)],
    ["half a surrogate", of(0xed, 0xa0, 0x80)],
  ])("is none for %s", (_, bytes) => {
    expect(utf8Text(bytes)).toBeUndefined();
  });
});

const nested = (depth: number, innermost: string) =>
  JSON.parse(`${'{"a":'.repeat(depth)}${innermost}${"}".repeat(depth)}`);

it.each([
  ["equal in another order of keys", true, '{"a":1,"b":[{"c":2,"d":3}]}', '{"b":[{"d":3,"c":2}],"a":1}'],
  ["equal with __proto__ as a name", true, '{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
  ["not in another order of elements", false, "[1,2]", "[2,1]"],
  ["not with other values under names of methods", false, '{"toString":1}', '{"toString":2}'],
  ["not where a name is a method to the package", false, '{"valueOf":1}', '{"valueOf":1}'],
  ["not with another __proto__", false, '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
])("two JSON values are %s", (_, are, one, other) => expect(equalJson(JSON.parse(one), JSON.parse(other))).toBe(are));

it("JSON values are compared at any depth, and nothing breaks", () => {
  expect(equalJson(nested(500, '{"b":1,"c":2}'), nested(500, '{"c":2,"b":1}'))).toBe(true);
  expect(equalJson(nested(2_000, "1"), nested(2_000, "1"))).toBe(true);
  expect(equalJson(nested(2_000, "1"), nested(2_000, "2"))).toBe(false);
  expect(() => equalJson(nested(100_000, "1"), nested(100_000, "1"))).not.toThrow();
});

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

const digest = (text: string) => createHash("sha256").update(text).digest("base64url");

it("signs with 96 bits of the digest of key and text", () => {
  for (const text of ["", "a", "ループ🙂", "x".repeat(100_000)])
    expect(keyedHash("secret")(text)).toBe(digest(digest("secret") + text).slice(0, 16));
});

it("does not take a secret's end for a text's beginning", () => {
  expect(keyedHash("ab")("c")).not.toBe(keyedHash("a")("bc"));
});

it("makes a new secret each time", () => expect(randomSecret()).not.toBe(randomSecret()));

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
