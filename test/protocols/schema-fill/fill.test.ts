import type { Json, JsonObject } from "../../../src/text/is-object.ts";
import { requestWork, type Work } from "../../../src/work.ts";
import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type Ended,
  fillSchema as fill,
  honestJson as honest,
  satisfies,
} from "../../../src/protocols/schema-fill/schema-fill.ts";

type Terms = [text: string, ended: Ended, work: Work];
const honestJson = (schema: unknown, ...more: Terms) => honest(schema as Json, ...more);
const fillSchema = (schema: unknown, ...more: Terms) => fill(schema as Json, ...more);

const text = 'It is "over" 😀\nnow.';
const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });
const object = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const string = { type: "string" };
const boolean = { type: "boolean" };
const integer = { type: "integer" };
const inner = (name: string) => object({ [name]: object({ text: string }) });

it.each<readonly [what: string, schema: unknown, expected: unknown]>([
  // The text goes to the field that is best for it.
  ["the only string", object({ x: string }), { x: text }],
  ["the name for text", object({ id: string, answer: string, thought: string }), { id: "", answer: text, thought: "" }],
  ["an optional one if no other can", object({ n: integer, message: string }, ["n"]), { n: 0, message: text }],
  [
    "a nullable one",
    object({ result: { type: ["string", "null"] }, other: { anyOf: [string, { type: "null" }] } }),
    { result: text, other: null },
  ],
  ["a free object", { type: "object" }, { message: text }],
  ["beside what nobody knows", object({ other: { $ref: "https://a.example/b" }, why: string }, ["why"]), { why: text }],
  ["cut to whole characters", object({ text: { type: "string", maxLength: 15 } }), { text: 'It is "over" 😀\n' }],
  ["a pattern that allows anything", { type: "string", pattern: "^.+$" }, 'It is "over" 😀 now.'],
  ["no place for it", object({ n: integer }), { n: 0 }],
  ["an end", { type: "array", minItems: 1, items: { anyOf: [inner("click"), inner("done")] } }, [{ done: { text } }]],
  // Other fields say what a run that ended without success would say.
  ["success", object({ text: string, success: boolean }), { text, success: false }],
  [
    "completion",
    object({ text: string, complete: boolean, completed_successfully: boolean }),
    { text, complete: true, completed_successfully: false },
  ],
  [
    "going on",
    object({ text: string, should_continue: boolean, incomplete: boolean }),
    { text, should_continue: false, incomplete: false },
  ],
  ["a status", object({ text: string, status: { enum: ["success", "failure"] } }), { text, status: "failure" }],
])("says what it can, and no more: %s", (_, schema, expected) =>
  expect(fillSchema(schema, text, "badly", requestWork())).toEqual(expected),
);

const list = {
  $defs: { node: object({ value: string, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } }) },
};
const pattern = (one: string) => ({ type: "string", pattern: one });

it.each<readonly [what: string, schema: object]>([
  ["references", { ...list, $ref: "#/$defs/node" }],
  ["recursion through what may be left out", object({ a: { $ref: "#" }, t: string }, ["t"])],
  ["recursion through an empty list", object({ children: { type: "array", items: { $ref: "#" } }, text: string })],
  ["tuples", { type: "array", items: [string, integer], minItems: 2, additionalItems: false }],
  ["__proto__", JSON.parse('{"type":"object","required":["__proto__"],"properties":{"__proto__":{"type":"string"}}}')],
  ["two unions at once", { anyOf: [string, { type: "null" }], oneOf: [{ const: "a" }, { const: "b" }] }],
  ["no type at all", { properties: { text: { minLength: 2 } }, required: ["text"] }],
])("satisfies %s", (_, schema) => {
  const value = fillSchema(schema, text, "badly", requestWork());
  expect(value).toBeDefined();
  expect({ value, valid: ajv.validate(schema, value) }).toMatchObject({ valid: true });
});

const { iso } = z;
it.each(Object.entries({ datetime: iso.datetime(), email: z.email(), uuid: z.uuid(), url: z.url(), ulid: z.ulid() }))(
  "satisfies zod's %s",
  (_, field) => {
    const schema = z.object({ field, why: z.string() });
    const value = fillSchema(z.toJSONSchema(schema), "It is over.", "badly", requestWork());
    expect(schema.safeParse(value)).toMatchObject({ success: true, data: { why: "It is over." } });
  },
);

it.each([
  { name: "a list of values", decision: { enum: ["approve", "reject"] } },
  { name: "a union of constants", decision: { anyOf: [{ const: "approve" }, { const: "reject" }] } },
  {
    name: "a union in a union",
    decision: { anyOf: [{ const: "approve" }, { anyOf: [{ const: "reject" }, { const: "hold" }] }] },
  },
  { name: "a required number", decision: { type: "number", minimum: 1 } },
])("declines to decide for the model: $name", ({ decision }) => {
  expect(honestJson(object({ decision, why: string }), text, "badly", requestWork())).toBeUndefined();
  const orNull = { anyOf: [decision, { type: "null" }] };
  expect(honestJson(object({ decision: orNull, why: string }), text, "badly", requestWork())).toBe(
    JSON.stringify({ decision: null, why: text }),
  );
});

it.each<readonly [what: string, schema: unknown]>([
  ["nothing is allowed", false],
  ["recursion without an end", object({ a: { $ref: "#" } })],
  ["references to nowhere", { $ref: "#/$defs/x" }],
  ["contradictions", { allOf: [string, { type: "number" }] }],
  [
    "conditions",
    JSON.parse(
      '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"if":{"required":["a"]},"then":{"required":["b"]}}',
    ),
  ],
  ["a pattern that asks for what nobody has said", object({ text: string, id: pattern("^[A-Z]{2}-\\d+$") })],
  ["traps", { type: "array", minItems: 1e9, items: string }],
  ["long strings", { type: "string", minLength: 1e9 }],
])("gives up on %s", (_, schema) => expect(fillSchema(schema, text, "badly", requestWork())).toBeUndefined());

it.each<readonly [what: string, schema: Json, value: Json]>([
  ["one and a half of a tiny step", { multipleOf: 1e-8 }, 1.5e-8],
  ["a small share of a large step", { multipleOf: 1e9 }, 5],
  ["a bound that is excluded by a word beside it", { minimum: 0, exclusiveMinimum: true }, 0],
  ["a constant that is none of the values beside it", { const: 1, enum: [2] }, 1],
  ["a constant in a union whose type is another", { anyOf: [{ const: "a", type: "number" }] }, "a"],
  ["a value of one branch that is out of its bounds", { oneOf: [{ enum: [1, 2], minimum: 2 }, { const: 3 }] }, 1],
  ["a reference that is read by where it stands", { properties: { a: { $recursiveRef: "#" } } }, { a: 1 }],
  ["a reference that is read by who came there", { properties: { a: { $dynamicRef: "#x" } } }, { a: 1 }],
  ["a condition", { if: { required: ["a"] } }, {}],
  ["an element that has to be somewhere", { contains: true }, [1]],
  ["what no other schema speaks of", { unevaluatedProperties: false }, {}],
  ["what others depend on", { dependentRequired: { a: ["b"] } }, {}],
  ["the contrary of a reference to nowhere", { not: { $ref: "#/$defs/x" } }, { a: 1 }],
  ["a reference to what is a value, no schema", { default: { const: 1 }, $ref: "#/default" }, 2],
])("accepts nothing against %s", (_, schema, value) => expect(satisfies(schema, value, requestWork())).toBe(false));

it("takes a number for a multiple of a step that has no exact binary form", () =>
  expect([0, 0.3, -0.3, 12345678.9].every((one) => satisfies({ multipleOf: 0.1 }, one, requestWork()))).toBe(true));

const many = <Value>(count: number, each: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => each(index));
const named = <Value>(count: number, prefix: string, each: (index: number) => Value) =>
  Object.fromEntries(many(count, (index) => [`${prefix}${index}`, each(index)]));
const ref = (index: number) => ({ $ref: `#/$defs/d${index}` });
const wide = (index: number) => object(named(index === 0 ? 10_000 : 1, `m${index}_`, () => string));

// Cheap to send, dear to follow.
it.each<readonly [what: string, schema: unknown]>([
  [
    "references that double at each step",
    {
      $defs: named(60, "d", (n) => (n === 59 ? { not: {} } : { anyOf: many(2, () => ref(n + 1)), type: "object" })),
      ...ref(0),
    },
  ],
  [
    "a union of many branches, the first of many members",
    object({ action: { type: "array", minItems: 1, items: { anyOf: many(1_000, wide) } } }),
  ],
  ["deep nesting", JSON.parse(`${'{"allOf":['.repeat(50_000)}true${"]}".repeat(50_000)}`)],
  ["recursive unions", { $defs: named(12, "d", () => object(named(12, "p", ref))), ...ref(0) }],
  ["a pattern that would keep a processor busy", { ...pattern("^(([a-z])+.)+[A-Z]([a-z])+$"), minLength: 90 }],
])("an end is found on %s, with an answer or none", (_, schema) => {
  expect(() => fillSchema(schema, "a".repeat(5_000), "badly", requestWork())).not.toThrow();
});

const thousandsOfTimes = (schema: Json): Json => ({
  $defs: { c: schema, b: { allOf: many(60, () => ({ $ref: "#/$defs/c" })) } },
  allOf: many(60, () => ({ $ref: "#/$defs/b" })),
});

it.each<readonly [what: string, schema: Json, value: Json]>([
  ["needs", { required: many(3_000, () => "a") }, { a: 1 }],
  ["types", { type: [...many(3_600, () => "x"), "object"] }, { a: 1 }],
  ["characters", { maxLength: 1e6 }, "x".repeat(65_000)],
  ["branches that are true", { allOf: many(3_500, () => true) }, 1],
  ["members that may be anything", { propertyNames: true }, named(4_000, "k", () => 1)],
])("a schema of many %s is not gone through for nothing", (_, schema, value) => {
  expect(satisfies(thousandsOfTimes(schema), value, requestWork())).toBe(false);
});

const nest = (depth: number): JsonObject => (depth === 0 ? {} : { a: nest(depth - 1) });

it("a long reference is not followed hundreds of times for nothing", () => {
  const $defs = { there: nest(50), alias: { $ref: `#/$defs/there${"/a".repeat(50)}` } };
  const schema = { $defs, allOf: many(800, () => ({ $ref: "#/$defs/alias" })) };
  expect(satisfies(schema, 1, requestWork())).toBe(false);
});

it("fills no schema of thousands of types", () => {
  const schema = { type: many(3_600, () => "string") };
  expect(fillSchema(schema, "a".repeat(5_000), "badly", requestWork())).toBeUndefined();
});

describe("for any schema", () => {
  const names = fc.constantFrom("text", "success", "done", "n", "a");
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      fc.constantFrom<unknown>(true, {}, { type: "null" }, { type: "boolean" }, { $ref: "#" }, { $ref: "#/$defs/s" }),
      fc.record(
        { type: fc.constant("string"), minLength: fc.nat(5), maxLength: fc.integer({ min: 5, max: 50 }) },
        { requiredKeys: ["type"] },
      ),
      fc.record(
        {
          type: fc.constantFrom("number", "integer"),
          minimum: fc.integer({ min: -9, max: 9 }),
          exclusiveMaximum: fc.integer({ min: 12, max: 30 }),
          multipleOf: fc.constantFrom(1, 2, 0.5),
        },
        { requiredKeys: ["type"] },
      ),
      fc.record({ enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }) }),
      fc.record({ const: fc.jsonValue({ maxDepth: 1 }) }),
      fc.record(
        { type: fc.constant("array"), items: tie("schema"), minItems: fc.nat(2), uniqueItems: fc.boolean() },
        { requiredKeys: ["type"] },
      ),
      fc.record(
        {
          type: fc.constant("object"),
          properties: fc.dictionary(names, tie("schema"), { maxKeys: 4 }),
          required: fc.uniqueArray(names, { maxLength: 3 }),
          additionalProperties: fc.boolean(),
        },
        { requiredKeys: ["type"] },
      ),
      fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
      fc.record({ not: tie("schema"), type: fc.constantFrom("string", "object", "integer") }),
    ),
  }));

  it("gives a valid value or none", () => {
    let filled = 0;
    const isValid = (root: object | boolean, value: unknown) => {
      try {
        return new Ajv({ strict: false, logger: false }).compile(root)(value);
      } catch {
        // Ajv gives up on schemas that refer to themselves before anything else: there is no second opinion then.
        return true;
      }
    };
    fc.assert(
      fc.property(schema, (each) => {
        const root = typeof each === "object" ? { ...each, $defs: { s: string } } : true;
        const value = fillSchema(root, text, "badly", requestWork());
        if (value !== undefined) filled += 1;
        expect({ root, value, isValid: value === undefined || isValid(root, value) }).toEqual({
          root,
          value,
          isValid: true,
        });
      }),
    );
    expect(filled).toBeGreaterThan(20);
  });
});
