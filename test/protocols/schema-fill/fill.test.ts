import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fillSchema, honestJson } from "../../../src/protocols/schema-fill/schema-fill.ts";

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
  [
    "the name that says text",
    object({ id: string, answer: string, thought: string }),
    { id: "", answer: text, thought: "" },
  ],
  ["an optional one if no other can", object({ n: integer, message: string }, ["n"]), { n: 0, message: text }],
  ["an inner one", object({ data: object({ summary: string }) }), { data: { summary: text } }],
  ["an element of a list", object({ notes: { type: "array", items: string } }), { notes: [text] }],
  [
    "a nullable one",
    object({ result: { type: ["string", "null"] }, other: { anyOf: [string, { type: "null" }] } }),
    { result: text, other: null },
  ],
  ["a free object", { type: "object" }, { message: text }],
  ["a bare string", string, text],
  ["one that anything may fill", object({ value: {} }), { value: text }],
  [
    "cut to what fits, in whole characters",
    object({ text: { type: "string", maxLength: 15 } }),
    { text: 'It is "over" 😀\n' },
  ],
  ["padded to what is asked", { type: "string", minLength: 22 }, `${text}---`],
  ["a pattern that allows anything", { type: "string", pattern: "^.+$" }, 'It is "over" 😀 now.'],
  ["no place for it", object({ n: integer }), { n: 0 }],
  [
    "an action that ends the run",
    { type: "array", minItems: 1, items: { anyOf: [inner("click"), inner("done")] } },
    [{ done: { text } }],
  ],
  // Other fields say what a run that ended without success would say.
  ["success", object({ text: string, success: boolean }), { text, success: false }],
  [
    "success with a default",
    object({ text: string, is_successful: { type: "boolean", default: true } }, ["text"]),
    { text, is_successful: false },
  ],
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
  [
    "a status",
    object({ text: string, status: { enum: ["success", "in_progress", "failure"] } }),
    { text, status: "failure" },
  ],
  [
    "a state without failure",
    object({ text: string, state: { enum: ["open", "completed"] } }),
    { text, state: "completed" },
  ],
  [
    "a flag with a default",
    object({ text: string, verbose: { type: "boolean", default: true } }),
    { text, verbose: true },
  ],
])("says what it can, and no more: %s", (_, schema, expected) => expect(fillSchema(schema, text)).toEqual(expected));

const list = {
  $defs: { node: object({ value: string, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } }) },
};
const pattern = (one: string) => ({ type: "string", pattern: one });

it.each<readonly [what: string, schema: object]>([
  ["references", { ...list, $ref: "#/$defs/node" }],
  [
    "references with escapes",
    { definitions: { "a/b~c d": string }, ...object({ x: { $ref: "#/definitions/a~1b~0c%20d" } }) },
  ],
  ["recursion through what may be left out", object({ a: { $ref: "#" }, t: string }, ["t"])],
  ["recursion through an empty list", object({ children: { type: "array", items: { $ref: "#" } }, text: string })],
  [
    "allOf",
    {
      allOf: [
        { type: "object", properties: { a: string }, required: ["a"] },
        { properties: { a: { minLength: 3 }, b: { type: "number", minimum: 2 } }, required: ["b"] },
      ],
    },
  ],
  [
    "anyOf beside properties",
    { ...object({ a: string, b: string }, []), anyOf: [{ required: ["b"] }, { required: ["a"] }] },
  ],
  ["oneOf", { oneOf: [object({ kind: { const: "a" } }), object({ kind: { const: "b" }, text: string })] }],
  ["not", { type: "integer", not: { enum: [0] }, minimum: 0 }],
  [
    "bounds",
    object({
      a: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
      b: { type: "integer", multipleOf: 7, minimum: 50 },
      c: { type: "integer", maximum: -3 },
    }),
  ],
  ["a fractional step", { type: "number", multipleOf: 0.25, minimum: 0.3 }],
  ["tuples", { type: "array", items: [string, integer], minItems: 2, additionalItems: false }],
  ["contains", { type: "array", contains: { const: 5 } }],
  [
    "a key named __proto__",
    JSON.parse('{"type":"object","required":["__proto__"],"properties":{"__proto__":{"type":"string"}}}'),
  ],
  ["no type at all", { properties: { text: { minLength: 2 } }, required: ["text"] }],
])("satisfies %s", (_, schema) => {
  const value = fillSchema(schema, text);
  expect(value).toBeDefined();
  expect({ value, valid: ajv.validate(schema, value) }).toMatchObject({ valid: true });
});

const { iso } = z;
it.each(
  Object.entries({
    ...{ datetime: iso.datetime(), date: iso.date(), duration: iso.duration(), email: z.email() },
    ...{ uuid: z.uuid(), v4: z.uuidv4(), ipv4: z.ipv4(), ipv6: z.ipv6(), url: z.url(), base64: z.base64() },
    ...{ nanoid: z.nanoid(), ulid: z.ulid(), e164: z.e164(), emoji: z.emoji() },
  }),
)("satisfies zod's %s", (_, field) => {
  const schema = z.object({ field, why: z.string() });
  const value = fillSchema(z.toJSONSchema(schema), "It is over.");
  expect(schema.safeParse(value)).toMatchObject({ success: true, data: { why: "It is over." } });
});

it.each([
  { name: "a list of values", decision: { enum: ["approve", "reject"] } },
  { name: "a union of constants", decision: { anyOf: [{ const: "approve" }, { const: "reject" }] } },
  { name: "a required number", decision: { type: "number", minimum: 1 } },
])("declines to decide for the model: $name", ({ decision }) => {
  expect(honestJson(object({ decision, why: string }), text, "badly")).toBeUndefined();
  const orNull = { anyOf: [decision, { type: "null" }] };
  expect(honestJson(object({ decision: orNull, why: string }), text, "badly")).toBe(
    JSON.stringify({ decision: null, why: text }),
  );
});

it.each<readonly [what: string, schema: unknown]>([
  ["nothing is allowed", false],
  ["recursion without an end", object({ a: { $ref: "#" } })],
  ["references to themselves", { $ref: "#" }],
  ["references to nowhere", { $ref: "#/$defs/x" }],
  ["references to elsewhere", { $ref: "https://example.com/x.json" }],
  ["contradictions", { allOf: [string, { type: "number" }] }],
  [
    "conditions",
    JSON.parse(
      '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"if":{"required":["a"]},"then":{"required":["b"]}}',
    ),
  ],
  ["members that others ask for", { ...object({ text: string, b: string }, ["text"]), dependencies: { text: ["b"] } }],
  ["elements that must differ", { type: "array", items: string, minItems: 3, uniqueItems: true }],
  ["numbers of members", { type: "object", properties: { a: string }, minProperties: 3 }],
  ["a pattern that asks for what nobody has said", object({ text: string, id: pattern("^[A-Z]{2}-\\d+$") })],
  ["traps", { type: "array", minItems: 1e9, items: string }],
  ["long strings", { type: "string", minLength: 1e9 }],
])("gives up on %s", (_, schema) => expect(fillSchema(schema, text)).toBeUndefined());

const many = <Value>(count: number, each: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => each(index));
const named = (count: number, prefix: string, each: (index: number) => unknown) =>
  Object.fromEntries(many(count, (index) => [`${prefix}${index}`, each(index)]));
const ref = (index: number) => ({ $ref: `#/$defs/d${index}` });
const twice = { allOf: [{ $ref: "#" }, { $ref: "#" }] };
const wide = (index: number) => object(named(index === 0 ? 10_000 : 1, `m${index}_`, () => string));

// Cheap to send, dear to follow.
it.each<readonly [what: string, schema: unknown]>([
  ["references to the whole, in a schema of many keywords", { ...twice, ...named(1_000, "k", (n) => n) }],
  [
    "references that double at each step",
    {
      $defs: named(60, "d", (n) => (n === 59 ? { not: {} } : { anyOf: many(2, () => ref(n + 1)), type: "object" })),
      ...ref(0),
    },
  ],
  [
    "a reference of many parts",
    { $defs: { a: { allOf: many(2, () => ({ $ref: "#/$defs/a" })) } }, $ref: `#/$defs/a/${"%41/".repeat(30_000)}` },
  ],
  [
    "a union of many branches, the first of many members",
    object({ action: { type: "array", minItems: 1, items: { anyOf: many(1_000, wide) } } }),
  ],
  [
    "unions within unions that nothing satisfies",
    many(14, (n) => n).reduce<unknown>(
      (one, n) => ({ anyOf: ["p", "q"].map((name) => object({ [`${name}${n}`]: one })) }),
      object({ x: { not: {} } }),
    ),
  ],
  ["deep nesting", JSON.parse(`${'{"allOf":['.repeat(50_000)}true${"]}".repeat(50_000)}`)],
  ["a deep constant", { const: JSON.parse("[".repeat(50_000) + "]".repeat(50_000)) }],
  ["unions that multiply", { allOf: many(20, () => ({ anyOf: [{}, {}, {}, {}] })) }],
  ["recursive unions", { $defs: named(12, "d", () => object(named(12, "p", ref))), ...ref(0) }],
  ["unions that refer to themselves twice", { anyOf: [twice, { $ref: "#" }, integer] }],
  ["a pattern that would keep a processor busy", { ...pattern("^(([a-z])+.)+[A-Z]([a-z])+$"), minLength: 90 }],
])("an end is found on %s, with an answer or none", (_, schema) => {
  expect(() => fillSchema(schema, "a".repeat(5_000))).not.toThrow();
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
        const value = fillSchema(root, text);
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

  it("never throws, whatever the schema is", () => {
    const keyword = fc.constantFrom(
      ...["type", "properties", "required", "items", "anyOf", "enum", "$ref", "minItems", "pattern", "not", "default"],
      ...["const", "multipleOf", "prefixItems", "maxLength"],
    );
    const wrong = fc.dictionary(keyword, fc.oneof(fc.jsonValue(), fc.dictionary(keyword, fc.jsonValue())));
    fc.assert(fc.property(fc.oneof(wrong, fc.jsonValue()), (each) => void fillSchema(each, text)));
  });
});
