import { isObject, type JsonObject, stringIn } from "../json/json.ts";

/** Deeper schemas are read no further: they ask for anything. */
const MAX_DEPTH = 32;
const COUNT = /^(min|max)(Items|Length|Properties)$/;

/** A schema of this API, which is an OpenAPI one, as JSON Schema: types in lower case, counts as numbers, null as a type. */
export function jsonSchema(schema: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(schema)) return schema.map((one) => jsonSchema(one, depth + 1));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, member(name, value, schema, depth)]));
}

function member(name: string, value: unknown, { nullable }: JsonObject, depth: number): unknown {
  if (name === "type" && typeof value === "string") {
    const type = value.toLowerCase();
    return nullable === true ? [type, "null"] : type;
  }
  if (COUNT.test(name)) return stringIn(value) === undefined ? value : Number(value);
  if (name === "properties" && isObject(value)) {
    const members = Object.entries(value).map(([key, inner]) => [key, jsonSchema(inner, depth + 1)]);
    return Object.fromEntries(members);
  }
  return name === "items" || name === "anyOf" ? jsonSchema(value, depth + 1) : value;
}
