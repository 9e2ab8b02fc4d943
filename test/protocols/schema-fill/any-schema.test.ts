import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillSchema } from "../../../src/protocols/schema-fill/schema-fill.ts";

const text = 'It is "over" 😀\nnow.';

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
    fc.assert(
      fc.property(schema, (each) => {
        const root = typeof each === "object" ? { ...each, $defs: { s: { type: "string" } } } : each;
        const value = fillSchema(root, text);
        if (value === undefined) return;
        filled += 1;
        expect({ root, value, complaint: complaint(root, value) }).toEqual({ root, value });
      }),
      { interruptAfterTimeLimit: 600_000 },
    );
    expect(filled).toBeGreaterThan(20);
  });

  it("never throws, whatever the schema is", () => {
    fc.assert(fc.property(fc.jsonValue(), (each) => void fillSchema(each, text)));
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "required",
      "items",
      "anyOf",
      "enum",
      "$ref",
      "minItems",
      "pattern",
      "not",
      "default",
      "const",
      "multipleOf",
      "prefixItems",
      "maxLength",
    );
    const wrong = fc.dictionary(keyword, fc.oneof(fc.jsonValue(), fc.dictionary(keyword, fc.jsonValue())));
    fc.assert(fc.property(wrong, (each) => void fillSchema(each, text)));
  });
});

/** Undefined if all is well, or where ajv itself gives up: on schemas that refer to themselves before anything else. */
function complaint(schema: unknown, value: unknown): unknown {
  try {
    const validate = new Ajv({ strict: false, logger: false }).compile(schema as object);
    return validate(value) ? undefined : validate.errors;
  } catch {
    // Then there is no second opinion to compare with.
    return undefined;
  }
}
