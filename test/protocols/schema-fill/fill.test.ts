import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
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

const many = <Value>(count: number, each: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => each(index));
/** Schemas that are cheap to send and dear to follow. */
const hostile = [
  {
    name: "references to the whole, twice, in a schema of many keywords",
    schema: {
      allOf: [{ $ref: "#" }, { $ref: "#" }],
      ...Object.fromEntries(many(1_000, (n) => [`k${n}`, n])),
    },
  },
  {
    name: "references that double at each step",
    schema: {
      $defs: Object.fromEntries(
        many(60, (n) => [
          `d${n}`,
          n === 59 ? { not: {} } : { anyOf: many(2, () => ({ $ref: `#/$defs/d${n + 1}` })), type: "object" },
        ]),
      ),
      $ref: "#/$defs/d0",
    },
  },
  {
    name: "a reference of many parts",
    schema: {
      $defs: { a: { allOf: many(2, () => ({ $ref: "#/$defs/a" })) } },
      $ref: `#/$defs/a/${"%41/".repeat(30_000)}`,
    },
  },
  {
    name: "a union of many branches, the first of many members",
    schema: object({
      action: {
        type: "array",
        minItems: 1,
        items: {
          anyOf: many(1_000, (n) =>
            object(Object.fromEntries(many(n === 0 ? 10_000 : 1, (m) => [`m${n}${m}`, string]))),
          ),
        },
      },
    }),
  },
  {
    name: "unions within unions that nothing satisfies",
    schema: many(14, (n) => n).reduce<unknown>(
      (inner, n) => ({ anyOf: ["p", "q"].map((name) => object({ [`${name}${n}`]: inner })) }),
      object({ x: { not: {} } }),
    ),
  },
];

describe("carries the text in the best field", () => {
  it.each([
    { name: "the only string", schema: object({ x: string }), expected: { x: text } },
    {
      name: "the one whose name says text",
      schema: object({ id: string, answer: string, thought: string }),
      expected: { id: "", answer: text, thought: "" },
    },
    {
      name: "an optional one if no other can",
      schema: object({ n: { type: "integer" }, message: string }, ["n"]),
      expected: { n: 0, message: text },
    },
    {
      name: "an inner one",
      schema: object({ data: object({ summary: string }) }),
      expected: { data: { summary: text } },
    },
    {
      name: "an element of a list",
      schema: object({ notes: { type: "array", items: string } }),
      expected: { notes: [text] },
    },
    {
      name: "a nullable one",
      schema: object({ result: { type: ["string", "null"] }, other: { anyOf: [string, { type: "null" }] } }),
      expected: { result: text, other: null },
    },
    { name: "a free object", schema: { type: "object" }, expected: { message: text } },
    { name: "a bare string", schema: string, expected: text },
    { name: "one that anything may fill", schema: object({ value: {} }), expected: { value: text } },
    {
      name: "cut to what fits, in whole characters",
      schema: object({ text: { type: "string", maxLength: 15 } }),
      expected: { text: 'It is "over" 😀\n' },
    },
    { name: "padded to what is asked", schema: { type: "string", minLength: 22 }, expected: `${text}---` },
    {
      name: "where a pattern allows anything",
      schema: { type: "string", pattern: "^.+$" },
      expected: 'It is "over" 😀 now.',
    },
    { name: "none, if there is no place for it", schema: object({ n: { type: "integer" } }), expected: { n: 0 } },
    {
      name: "an action that ends the run, before those that do not",
      schema: {
        type: "array",
        minItems: 1,
        items: { anyOf: [object({ click: object({ text: string }) }), object({ done: object({ text: string }) })] },
      },
      expected: [{ done: { text } }],
    },
  ])("$name", ({ schema, expected }) => expect(fillSchema(schema, text)).toEqual(expected));
});

describe("says what a run that ended without success would say", () => {
  it.each([
    { name: "success", schema: object({ text: string, success: boolean }), expected: { text, success: false } },
    {
      name: "an optional success whose default is true",
      schema: object({ text: string, is_successful: { type: "boolean", default: true } }, ["text"]),
      expected: { text, is_successful: false },
    },
    {
      name: "completion",
      schema: object({ text: string, complete: boolean, is_done: boolean, completed_successfully: boolean }),
      expected: { text, complete: true, is_done: true, completed_successfully: false },
    },
    {
      name: "going on",
      schema: object({ text: string, should_continue: boolean, incomplete: boolean }),
      expected: { text, should_continue: false, incomplete: false },
    },
    {
      name: "a status",
      schema: object({ text: string, status: { enum: ["success", "in_progress", "failure"] } }),
      expected: { text, status: "failure" },
    },
    {
      name: "a state without failure",
      schema: object({ text: string, state: { enum: ["open", "completed"] } }),
      expected: { text, state: "completed" },
    },
    {
      name: "a flag left to its default",
      schema: object({ text: string, verbose: { type: "boolean", default: true } }),
      expected: { text, verbose: true },
    },
  ])("$name", ({ schema, expected }) => expect(fillSchema(schema, text)).toEqual(expected));
});

describe("satisfies", () => {
  const list = {
    $defs: { node: object({ value: string, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } }) },
  };
  it.each([
    { name: "references", schema: { ...list, $ref: "#/$defs/node" } },
    {
      name: "references with escapes",
      schema: { definitions: { "a/b~c d": string }, ...object({ x: { $ref: "#/definitions/a~1b~0c%20d" } }) },
    },
    { name: "recursion through what may be left out", schema: object({ a: { $ref: "#" }, t: string }, ["t"]) },
    {
      name: "recursion through an empty list",
      schema: object({ children: { type: "array", items: { $ref: "#" } }, text: string }),
    },
    {
      name: "allOf",
      schema: {
        allOf: [
          { type: "object", properties: { a: string }, required: ["a"] },
          { properties: { a: { minLength: 3 }, b: { type: "number", minimum: 2 } }, required: ["b"] },
        ],
      },
    },
    {
      name: "anyOf beside properties",
      schema: { ...object({ a: string, b: string }, []), anyOf: [{ required: ["b"] }, { required: ["a"] }] },
    },
    {
      name: "oneOf whose branches exclude each other",
      schema: {
        oneOf: [
          { type: "object", properties: { kind: { const: "a" } }, required: ["kind"] },
          { type: "object", properties: { kind: { const: "b" }, text: string }, required: ["kind", "text"] },
        ],
      },
    },
    { name: "not", schema: { type: "integer", not: { enum: [0] }, minimum: 0 } },
    {
      name: "bounds",
      schema: object({
        a: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
        b: { type: "integer", multipleOf: 7, minimum: 50 },
        c: { type: "integer", maximum: -3 },
        d: { type: "number", exclusiveMinimum: 4 },
      }),
    },
    { name: "a fractional step", schema: { type: "number", multipleOf: 0.25, minimum: 0.3 } },
    {
      name: "tuples",
      schema: { type: "array", items: [string, { type: "integer" }], minItems: 2, additionalItems: false },
    },
    { name: "contains", schema: { type: "array", contains: { const: 5 } } },
    {
      name: "patterns",
      schema: object({
        a: { type: "string", pattern: "^[A-Z]{2,3}-\\d{4}(?:\\.v\\d+)?$" },
        b: { type: "string", pattern: "^(foo|bar)_[^_]+$", minLength: 9 },
        c: { type: "string", pattern: "^a|b$" },
        d: { type: "string", pattern: "\\d" },
        e: { type: "string", pattern: "^[\\w.-]+@x\\.org$" },
      }),
    },
    {
      name: "a key named __proto__",
      schema: JSON.parse('{"type":"object","required":["__proto__"],"properties":{"__proto__":{"type":"string"}}}'),
    },
    { name: "no type at all", schema: { properties: { text: { minLength: 2 } }, required: ["text"] } },
  ])("$name", ({ schema }) => {
    const value = fillSchema(schema, text);
    expect(value).toBeDefined();
    expect({ value, valid: ajv.validate(schema, value) }).toMatchObject({ valid: true });
  });

  it.each(["date-time", "date", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname"])("format %s", (format) => {
    const shapes: Record<string, RegExp> = {
      "date-time": /^\d{4}-\d\d-\d\dT[\d:]+Z$/,
      uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      email: /^\S+@\S+$/,
    };
    const value = fillSchema(object({ x: { type: "string", format }, text: string }), text);
    expect(value).toEqual({ x: expect.stringMatching(shapes[format] ?? /^\S+$/), text });
  });
});

it.each([
  { name: "a list of values", decision: { enum: ["approve", "reject"] } },
  { name: "a union of constants", decision: { anyOf: [{ const: "approve" }, { const: "reject" }] } },
  { name: "a required number", decision: { type: "number", minimum: 1 } },
])("declines to decide for the model: $name", ({ decision }) => {
  expect(honestJson(object({ decision, why: string }), text, "badly")).toBeUndefined();
  expect(honestJson(object({ decision: { anyOf: [decision, { type: "null" }] }, why: string }), text, "badly")).toBe(
    JSON.stringify({ decision: null, why: text }),
  );
});

describe("gives up", () => {
  it.each([
    { name: "where nothing is allowed", schema: false },
    { name: "on recursion without an end", schema: object({ a: { $ref: "#" } }) },
    { name: "on references to themselves", schema: { $ref: "#" } },
    { name: "on references to nowhere", schema: { $ref: "#/$defs/x" } },
    { name: "on references to elsewhere", schema: { $ref: "https://example.com/x.json" } },
    { name: "on contradictions", schema: { allOf: [{ type: "string" }, { type: "number" }] } },
    {
      name: "on conditions",
      schema: JSON.parse(
        '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"if":{"required":["a"]},"then":{"required":["b"]}}',
      ),
    },
    {
      name: "on members that others ask for",
      schema: { ...object({ text: string, b: string }, ["text"]), dependencies: { text: ["b"] } },
    },
    { name: "on elements that must differ", schema: { type: "array", items: string, minItems: 3, uniqueItems: true } },
    { name: "on numbers of members", schema: { type: "object", properties: { a: string }, minProperties: 3 } },
    { name: "on patterns beyond it", schema: { type: "string", pattern: "^(?=a)(b|\\1)$" } },
    { name: "on traps", schema: { type: "array", minItems: 1e9, items: string } },
    { name: "on long strings", schema: { type: "string", minLength: 1e9 } },
  ])("$name", ({ schema }) => expect(fillSchema(schema, text)).toBeUndefined());

  it.each([
    ...hostile,
    { name: "deep nesting", schema: JSON.parse(`${'{"allOf":['.repeat(50_000)}true${"]}".repeat(50_000)}`) },
    { name: "a deep constant", schema: { const: JSON.parse("[".repeat(50_000) + "]".repeat(50_000)) } },
    {
      name: "unions that multiply",
      schema: { allOf: Array.from({ length: 20 }, () => ({ anyOf: [{}, {}, {}, {}] })) },
    },
    {
      name: "recursive unions",
      schema: {
        $defs: Object.fromEntries(
          Array.from({ length: 12 }, (_, n) => [
            `d${n}`,
            object(Object.fromEntries(Array.from({ length: 12 }, (_, m) => [`p${m}`, { $ref: `#/$defs/d${m}` }]))),
          ]),
        ),
        $ref: "#/$defs/d0",
      },
    },
    {
      name: "unions that refer to themselves twice",
      schema: { anyOf: [{ allOf: [{ $ref: "#" }, { $ref: "#" }] }, { $ref: "#" }, { type: "integer" }] },
    },
    {
      name: "a pattern that would keep a processor busy",
      schema: { type: "string", pattern: "^(([a-z])+.)+[A-Z]([a-z])+$", minLength: 90 },
    },
  ])("an end is found on $name, with an answer or none", ({ schema }) => {
    expect(() => fillSchema(schema, "a".repeat(5_000))).not.toThrow();
  });
});
