import { arrayIn, isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { OfferedTool, ParsedRequest } from "../protocol.ts";
import { listIn, memberOf } from "./parts.ts";

/** Functions that the client lets the model call. Tools that the API runs itself have no declarations. */
export function offeredTools(body: JsonObject): readonly OfferedTool[] {
  const may = allowedNames(body);
  return listIn(body.tools).flatMap((tool) =>
    listIn(memberOf(objectIn(tool), "functionDeclarations")).flatMap((declared): readonly OfferedTool[] => {
      const { name, description, ...others } = objectIn(declared);
      const known = nonEmpty(name);
      if (known === undefined || may?.has(known) === false) return [];
      const said = nonEmpty(description);
      const schema = memberOf(others, "parametersJsonSchema") ?? jsonSchema(others.parameters) ?? undefined;
      return [{ name: known, ...(said && { description: said }), ...(schema === undefined ? {} : { schema }) }];
    }),
  );
}

function callingConfig(body: JsonObject): JsonObject {
  return objectIn(memberOf(objectIn(memberOf(body, "toolConfig")), "functionCallingConfig"));
}

/** Set where the client forces a call: of any function, or of one. */
export function forcedChoice(body: JsonObject): ParsedRequest["toolChoice"] {
  if (stringIn(callingConfig(body).mode)?.toUpperCase() !== "ANY") return undefined;
  const [tool, ...others] = [...(allowedNames(body) ?? [])];
  return tool === undefined || others.length > 0 ? "any" : { tool };
}

/** Functions that alone may be called, under a forced choice or a validated one. Undefined: all of them may. */
export function allowedNames(body: JsonObject): ReadonlySet<string> | undefined {
  const names = arrayIn(memberOf(callingConfig(body), "allowedFunctionNames")).flatMap((name) => nonEmpty(name) ?? []);
  return names.length === 0 ? undefined : new Set(names);
}

/** Tools and instructions are kept with a cached content; the API refuses others beside it. */
export function isCached(body: JsonObject): boolean {
  const cached = memberOf(body, "cachedContent");
  return isObject(cached) || nonEmpty(cached) !== undefined;
}

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
