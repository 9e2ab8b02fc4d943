import { equalJson } from "../../text/json-equal.ts";
import { arrayIn, isObject, type Json, type JsonObject, objectIn } from "../json/json.ts";

export interface ValidTerms {
  /** Told of each value that is held against a schema. @throws where there is no more work to spend, or the schema is not known */
  readonly visit: (schema: JsonObject, value: Json) => void;
  /** What a reference names. @throws where that is nothing */
  readonly target: (ref: Json) => Json;
}

/** Whether a value is what a JSON Schema says. Patterns and formats are taken on trust. */
export function isValid(schema: Json, value: Json, terms: ValidTerms): boolean {
  if (!isObject(schema)) return schema !== false;
  terms.visit(schema, value);
  const holds = (inner: Json, one = value) => inner === undefined || isValid(inner, one, terms);
  const { type, const: only, enum: values, $ref } = schema;
  if (type !== undefined && ![type].flat().some((one) => isOfType(value, one))) return false;
  if (only !== undefined && !equalJson(only, value)) return false;
  if (Array.isArray(values) && !values.some((one) => equalJson(one, value))) return false;
  if ($ref !== undefined && !holds(terms.target($ref))) return false;
  if (!isCombined(schema, holds)) return false;
  if (typeof value === "number") return isNumberWithin(schema, value);
  if (typeof value === "string") return isLongAs(value, schema);
  if (Array.isArray(value)) return isArrayOf(schema, value, holds);
  return !isObject(value) || isObjectOf(schema, value, holds);
}

type Holds = (schema: Json, value?: Json) => boolean;

function isOfType(value: Json, type: Json): boolean {
  if (value === null) return type === "null";
  if (Array.isArray(value)) return type === "array";
  return typeof value === type || (type === "integer" && Number.isInteger(value));
}

const isWithin = (size: number, least: Json, most: Json): boolean =>
  (typeof least !== "number" || size >= least) && (typeof most !== "number" || size <= most);

function isCombined({ allOf, anyOf, oneOf, not }: JsonObject, holds: Holds) {
  return (
    arrayIn(allOf).every((one) => holds(one)) &&
    (anyOf === undefined || arrayIn(anyOf).some((one) => holds(one))) &&
    (oneOf === undefined || arrayIn(oneOf).filter((one) => holds(one)).length === 1) &&
    (not === undefined || !holds(not))
  );
}

/** Length is counted in code points, as JSON Schema does. */
const isLongAs = (value: string, { minLength: least, maxLength: most }: JsonObject): boolean =>
  (least === undefined && most === undefined) || isWithin([...value].length, least, most);

/** The share of a quotient that it may be off from a whole number: both numbers and it are kept in binary, each rounded. */
const ROUNDING = 2 * Number.EPSILON;

function isNumberWithin(schema: JsonObject, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf: step } = schema;
  // A word beside the bound excludes it, too.
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  if (!isWithin(value, minimum, maximum)) return false;
  if (typeof above === "number" && value <= above) return false;
  if (typeof below === "number" && value >= below) return false;
  if (typeof step !== "number") return true;
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= ROUNDING * Math.abs(quotient);
}

function isArrayOf(schema: JsonObject, values: readonly Json[], holds: Holds): boolean {
  return (
    isWithin(values.length, schema.minItems, schema.maxItems) &&
    values.every((one, i) => holds(elementSchema(schema, i), one)) &&
    (schema.uniqueItems !== true || values.every((one, i) => !values.slice(0, i).some((old) => equalJson(old, one))))
  );
}

export function elementSchema({ prefixItems, items, additionalItems }: JsonObject, index: number): Json {
  const tuple = arrayIn(prefixItems ?? items);
  return index < tuple.length ? tuple[index] : Array.isArray(items) ? additionalItems : items;
}

function isObjectOf(schema: JsonObject, value: JsonObject, holds: Holds): boolean {
  const { required, propertyNames } = schema;
  const names = Object.keys(value);
  return (
    arrayIn(required).every((name) => Object.hasOwn(value, String(name))) &&
    isWithin(names.length, schema.minProperties, schema.maxProperties) &&
    names.every((name) => holds(memberSchema(schema, name), value[name])) &&
    (propertyNames === undefined || names.every((name) => holds(propertyNames, name)))
  );
}

export function memberSchema({ properties, patternProperties, additionalProperties }: JsonObject, name: string): Json {
  if (Object.hasOwn(objectIn(properties), name)) return objectIn(properties)[name];
  // Which members a pattern means cannot be told without running it.
  return patternProperties === undefined ? additionalProperties : false;
}
