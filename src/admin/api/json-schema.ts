import type { JsonSchema } from "../../shapes/shapes.ts";

export const textSchema = (description: string): JsonSchema => ({ type: "string", description });
export const time = (description: string): JsonSchema => ({ type: "string", format: "date-time", description });
export const wholeSchema = (description: string): JsonSchema => ({ type: "integer", minimum: 0, description });
export const amountSchema = (description: string): JsonSchema => ({ type: "number", minimum: 0, description });
export const yesNo = (description: string): JsonSchema => ({ type: "boolean", description });
export const oneOfSchema = (values: readonly string[], description: string): JsonSchema => ({
  type: "string",
  enum: values,
  description,
});
export const listSchema = (items: JsonSchema, description: string): JsonSchema => ({
  type: "array",
  items,
  description,
});
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
export const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });
export const mapOf = (values: JsonSchema, description: string): JsonSchema => ({
  type: "object",
  additionalProperties: values,
  description,
});

/** Object schema with exactly these properties; all are required but those whose name here ends with a question mark. */
export function recordSchema(properties: Readonly<Record<string, JsonSchema>>, description?: string): JsonSchema {
  const names = Object.keys(properties);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name.replace("?", ""), properties[name]])),
    required: names.filter((name) => !name.endsWith("?")),
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
  };
}
