import { equalJson } from "../../text/json-equal.ts";
import { arrayIn, isObject, type JsonObject, stringIn } from "../json/json.ts";
import { type MergeBudget, referenced, typeList } from "./merge.ts";

/**
 * Whether the value satisfies the schema, patterns and formats taken on trust: a client's regular expression is
 * never run, for one alone can keep a processor busy for hours.
 */
export function accepts(root: unknown, schema: unknown, value: unknown, cost: MergeBudget): boolean {
  if (!isObject(schema)) return schema !== false;
  const ask = (inner: unknown, of: unknown) => accepts(root, inner, of, cost);
  cost.charge(schema.enum);
  return (
    cost.within(
      () =>
        acceptsReference(root, schema, value, ask) &&
        acceptsKind(schema, value) &&
        acceptsCombination(schema, value, ask) &&
        acceptsSize(schema, value) &&
        (!Array.isArray(value) || acceptsElements(schema, value, ask)) &&
        (!isObject(value) || acceptsMembers(schema, value, ask)),
    ) ?? false
  );
}

type Accepts = (schema: unknown, value: unknown) => boolean;

function acceptsReference(root: unknown, { $ref }: JsonObject, value: unknown, ask: Accepts): boolean {
  return $ref === undefined || ask(referenced(root, stringIn($ref) ?? "") ?? false, value);
}

function acceptsKind(schema: JsonObject, value: unknown): boolean {
  if (schema.type !== undefined && !typeList(schema.type).some((type) => isOfType(type, value))) return false;
  if (schema.const !== undefined && !equalJson(schema.const, value)) return false;
  return schema.enum === undefined || arrayIn(schema.enum).some((allowed) => equalJson(allowed, value));
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function acceptsCombination(schema: JsonObject, value: unknown, ask: Accepts): boolean {
  const fits = (inner: unknown) => ask(inner, value);
  if (!arrayIn(schema.allOf).every(fits)) return false;
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some(fits)) return false;
  if (Array.isArray(schema.oneOf) && schema.oneOf.filter(fits).length !== 1) return false;
  if (schema.not !== undefined && fits(schema.not)) return false;
  if (schema.if === undefined) return true;
  return fits((fits(schema.if) ? schema.then : schema.else) ?? true);
}

function acceptsSize(schema: JsonObject, value: unknown): boolean {
  if (typeof value === "number") return acceptsNumber(schema, value);
  if (typeof value === "string") return isBetween([...value].length, schema.minLength, schema.maxLength);
  if (Array.isArray(value)) return isBetween(value.length, schema.minItems, schema.maxItems);
  return !isObject(value) || isBetween(Object.keys(value).length, schema.minProperties, schema.maxProperties);
}

function acceptsNumber(schema: JsonObject, value: number): boolean {
  const { multipleOf, exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (!isBetween(value, schema.minimum, schema.maximum)) return false;
  if (above === true && value === schema.minimum) return false;
  if (below === true && value === schema.maximum) return false;
  if (typeof above === "number" && value <= above) return false;
  if (typeof below === "number" && value >= below) return false;
  // Beyond safe integers validators disagree about what divides what.
  return typeof multipleOf !== "number" || Number.isSafeInteger(value / multipleOf);
}

function isBetween(value: number, min: unknown, max: unknown): boolean {
  return !(typeof min === "number" && value < min) && !(typeof max === "number" && value > max);
}

function acceptsElements(schema: JsonObject, value: readonly unknown[], ask: Accepts): boolean {
  const { prefix, rest } = elementSchemas(schema);
  if (!value.every((element, index) => ask(index < prefix.length ? prefix[index] : rest, element))) return false;
  if (schema.uniqueItems === true && hasEqualPair(value)) return false;
  if (schema.contains === undefined) return true;
  const matches = value.filter((element) => ask(schema.contains, element)).length;
  return isBetween(matches, schema.minContains ?? 1, schema.maxContains);
}

/** Of longer lists nothing is said: each element would be compared with each. */
const MAX_COMPARED = 500;

function hasEqualPair(values: readonly unknown[]): boolean {
  const plain = values.filter((value) => typeof value !== "object" || value === null);
  const others = values.filter((value) => typeof value === "object" && value !== null);
  if (new Set(plain).size < plain.length || others.length > MAX_COMPARED) return true;
  return others.some((value, i) => others.slice(0, i).some((earlier) => equalJson(earlier, value)));
}

/** The schemas of an array's first elements, and of all others; tuples old and new. */
export function elementSchemas(schema: JsonObject): { readonly prefix: readonly unknown[]; readonly rest: unknown } {
  if (Array.isArray(schema.prefixItems)) return { prefix: schema.prefixItems, rest: schema.items };
  if (Array.isArray(schema.items)) return { prefix: schema.items, rest: schema.additionalItems };
  return { prefix: [], rest: schema.items };
}

function acceptsMembers(schema: JsonObject, value: JsonObject, ask: Accepts): boolean {
  const names = Object.keys(value);
  const properties = isObject(schema.properties) ? schema.properties : {};
  if (!arrayIn(schema.required).every((name) => typeof name === "string" && Object.hasOwn(value, name))) return false;
  // Which members a pattern means cannot be told without running it.
  if (isObject(schema.patternProperties) && names.length > 0) return false;
  if (!names.every((name) => ask(memberSchema(schema, properties, name), value[name]))) return false;
  if (!names.every((name) => ask(schema.propertyNames ?? true, name))) return false;
  return acceptsDependencies(schema, value, ask);
}

function memberSchema(schema: JsonObject, properties: JsonObject, name: string): unknown {
  return Object.hasOwn(properties, name) ? properties[name] : (schema.additionalProperties ?? true);
}

function acceptsDependencies(schema: JsonObject, value: JsonObject, ask: Accepts): boolean {
  const rules = [schema.dependentRequired, schema.dependentSchemas, schema.dependencies];
  return rules
    .flatMap((rule) => (isObject(rule) ? Object.entries(rule) : []))
    .filter(([name]) => Object.hasOwn(value, name))
    .every(([, rule]) => ask(Array.isArray(rule) ? { required: rule } : rule, value));
}
