import { equalJson } from "../../text/json-equal.ts";
import { arrayIn, isObject, type JsonObject, objectIn, stringIn } from "../json/json.ts";

/** How much work a schema may cause: schemas are the client's, and may refer to themselves. */
export interface MergeBudget {
  /** Undefined, too, when the budget does not allow the work. */
  within<Result>(work: () => Result | undefined): Result | undefined;
  /** Counts the work that these lists and objects cause by their length. */
  charge(...values: readonly unknown[]): void;
  /** Some work was refused. */
  readonly isExhausted: boolean;
}

export function mergeBudget(maxNodes: number, maxDepth: number): MergeBudget {
  let nodes = 0;
  let depth = 0;
  let isExhausted = false;
  return {
    within(work) {
      if (nodes >= maxNodes || depth >= maxDepth) {
        isExhausted = true;
        return undefined;
      }
      nodes += 1;
      depth += 1;
      const result = work();
      depth -= 1;
      return result;
    },
    charge(...values) {
      for (const value of values) nodes += typeof value === "object" && value !== null ? Object.keys(value).length : 0;
    },
    get isExhausted() {
      return isExhausted;
    },
  };
}

/**
 * The schema as one object: references resolved, `allOf` folded in, `const` as `enum`, and whatever
 * leaves a choice (`oneOf`, conditions) as `anyOf`, so that one of its branches is right but not each. Undefined if nothing can satisfy it, or a reference leads nowhere.
 */
export function flatten(root: unknown, schema: unknown, cost: MergeBudget): JsonObject | undefined {
  if (schema === false) return undefined;
  if (!isObject(schema)) return {};
  return cost.within(() => {
    const { $ref, allOf, anyOf, oneOf, const: only, if: test, ...rest } = schema;
    const { then, else: otherwise, dependencies, dependentRequired, dependentSchemas, ...own } = rest;
    const parts: unknown[] = [...arrayIn(allOf)];
    if ($ref !== undefined) parts.push(referenced(root, stringIn($ref) ?? "") ?? false);
    if (only !== undefined) parts.push({ enum: [only] });
    const rules = [dependencies, dependentRequired, dependentSchemas].flatMap((rule) => Object.values(objectIn(rule)));
    const choices = [
      ...[anyOf, oneOf].filter(Array.isArray),
      ...(test === undefined ? [] : [[{ allOf: [test, then ?? true] }, otherwise ?? true]]),
      ...(rules.length === 0
        ? []
        : [[{}, { allOf: rules.map((rule) => (Array.isArray(rule) ? { required: rule } : rule)) }]]),
    ].map((list) => ({ anyOf: list }));
    let flat: JsonObject | undefined = own;
    for (const part of parts) {
      const other = flatten(root, part, cost);
      flat = flat === undefined || other === undefined ? undefined : merged(flat, other, cost);
    }
    for (const choice of choices) flat = flat === undefined ? undefined : merged(flat, choice, cost);
    return flat;
  });
}

/** What `#/$defs/name` and the like point at. */
export function referenced(root: unknown, ref: string): unknown {
  if (!ref.startsWith("#")) return undefined;
  const keys = decoded(ref.slice(1)).split("/").slice(1);
  let target = root;
  for (const key of keys) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, name)) return undefined;
    target = Array.isArray(target) ? target[Number(name)] : isObject(target) ? target[name] : undefined;
  }
  return ref === "#" || keys.length > 0 ? target : undefined;
}

function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    // A stray % is then part of the name.
    return pointer;
  }
}

type Combine = (one: unknown, other: unknown) => unknown;

/** How two values of one keyword become the one that means both; `impossible` if there is none. */
const impossible = Symbol("impossible");
const largest = ofNumbers(Math.max);
const smallest = ofNumbers(Math.min);
const both: Combine = (one, other) => ({ allOf: [one, other] });
const equal: Combine = (one, other) => (one === other ? one : impossible);

const combinations: Readonly<Record<string, Combine>> = {
  minimum: largest,
  exclusiveMinimum: largest,
  minLength: largest,
  minItems: largest,
  minProperties: largest,
  maximum: smallest,
  exclusiveMaximum: smallest,
  maxLength: smallest,
  maxItems: smallest,
  maxProperties: smallest,
  pattern: equal,
  format: equal,
  items: both,
  additionalProperties: (one, other) => (one === false || other === false ? false : both(one, other)),
  uniqueItems: (one, other) => one === true || other === true,
  multipleOf: ofNumbers(commonMultiple),
  required: (one, other) => [...new Set([...arrayIn(one), ...arrayIn(other)])],
  properties: mergedProperties,
  type: commonTypes,
  enum: commonValues,
  anyOf: crossed,
};

function ofNumbers(combine: (one: number, other: number) => number): Combine {
  return (one, other) => (typeof one === "number" && typeof other === "number" ? combine(one, other) : one);
}

function merged(one: JsonObject, other: JsonObject, cost: MergeBudget): JsonObject | undefined {
  for (const { enum: values, anyOf, properties, required } of [one, other]) {
    cost.charge(values, anyOf, properties, required);
  }
  const result = new Map(Object.entries(one));
  for (const [key, value] of Object.entries(other)) {
    const combine = result.has(key) && Object.hasOwn(combinations, key) ? combinations[key] : undefined;
    const combined = combine === undefined ? (result.get(key) ?? value) : combine(result.get(key), value);
    if (combined === impossible) return undefined;
    result.set(key, combined);
  }
  return Object.fromEntries(result);
}

function commonMultiple(one: number, other: number): number {
  if (one % other === 0) return one;
  return other % one === 0 ? other : one * other;
}

function mergedProperties(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other)) return isObject(one) ? one : other;
  const result = new Map(Object.entries(one));
  for (const [name, schema] of Object.entries(other)) {
    result.set(name, result.has(name) ? both(result.get(name), schema) : schema);
  }
  return Object.fromEntries(result);
}

function commonTypes(one: unknown, other: unknown): unknown {
  const others = typeList(other);
  const common = typeList(one).flatMap((type) => {
    if (others.includes(type)) return [type];
    if (type === "number" && others.includes("integer")) return ["integer"];
    return type === "integer" && others.includes("number") ? ["integer"] : [];
  });
  return common.length === 0 ? impossible : common;
}

/** The types that a `type` keyword names. */
export function typeList(type: unknown): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function commonValues(one: unknown, other: unknown): unknown {
  const [plain, others] = [new Set(arrayIn(other)), arrayIn(other).filter(isObjectOrList).slice(0, MAX_COMPARED)];
  const common = arrayIn(one).filter((value) => plain.has(value) || others.some((two) => equalJson(two, value)));
  return common.length === 0 ? impossible : common;
}

/** Objects among the values of one of two lists: each is compared with each. */
const MAX_COMPARED = 500;

const isObjectOrList = (value: unknown): boolean => typeof value === "object" && value !== null;

const maxBranches = 64;

function crossed(one: unknown, other: unknown): unknown {
  const few = (branches: unknown) => arrayIn(branches).slice(0, maxBranches);
  return few(few(one).flatMap((left) => few(other).map((right) => both(left, right))));
}
