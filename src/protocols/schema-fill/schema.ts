import type { Work } from "../../work.ts";
import { type Json, arrayIn, isObject, type JsonObject, objectIn, stringIn } from "../json/json.ts";
import { isValid } from "./is-valid.ts";

export type ReadSchema = ReturnType<typeof readSchema>;

/** Nothing more is looked for: too large, nested too deep, without an end, not known, or more work than an answer is worth. */
class OutOfWork extends Error {}

const WORK = 400_000;
/** What it costs to hold a value against one schema, beside what stands in both. */
const VISIT = 100;
/** Nothing is said of a value of which they speak: they are rare, and no schema for a model's output needs them. */
const UNREAD = [
  ...["$recursiveRef", "$dynamicRef", "if", "contains", "unevaluatedItems", "unevaluatedProperties"],
  ...["dependencies", "dependentRequired", "dependentSchemas"],
];
const MAX_CHARACTERS = 65_536;
const MAX_MEMBERS = 4_096;
const MAX_NESTING = 64;

/** A client's schema, and a count of all the work with it. @throws OutOfWork */
export function readSchema(root: Json, whole: Work) {
  const sizes = new WeakMap<JsonObject, Size>();
  let checked = sizeOf(root);
  const work = whole.part(WORK);
  const spend = (units: number) => {
    if (!work.spend(units)) throw new OutOfWork();
  };
  const visit = (schema: JsonObject, value: Json) => {
    if (UNREAD.some((keyword) => schema[keyword] !== undefined)) throw new OutOfWork();
    const own = sizes.get(schema) ?? ownSize(schema);
    sizes.set(schema, own);
    const pairs = schema.uniqueItems ? checked.members ** 2 : 0;
    const length = typeof value === "string" ? value.length / 8 : 8 * Object.keys(Object(value)).length;
    spend(VISIT + 2 * own.members + own.characters / 32 + length + pairs);
  };
  const target = (ref: Json) => {
    spend(2 * String(ref).length);
    return referenced(root, String(ref));
  };
  /** No value can be held against what is not there. */
  const known = (ref: Json) => {
    const named = target(ref);
    if (named === undefined) throw new OutOfWork();
    return named;
  };
  /** What all of these schemas demand of one value, references and `allOf` followed; undefined if nothing can satisfy it. */
  const demandOf = (schemas: readonly Json[]) => {
    const nodes = new Set<JsonObject>();
    const open = [...schemas];
    for (const one of open) {
      if (one === false) return undefined;
      if (!isObject(one) || nodes.has(one)) continue;
      nodes.add(one);
      open.push(...arrayIn(one.allOf), ...(one.$ref === undefined ? [] : [target(one.$ref) ?? false]));
      spend(VISIT + 16 * (namesIn([one]).length + arrayIn(one.anyOf ?? one.oneOf).length));
    }
    const unions = [...nodes].flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].filter(Array.isArray));
    return { nodes: [...nodes], unions: unions.filter((union) => valuesOfAll(union) === undefined) };
  };
  /** Patterns and formats are taken on trust: one regular expression of a client's can keep a processor busy for hours. */
  const accepts = (schemas: readonly Json[], value: Json) => {
    try {
      checked = sizeOf(value);
      spend(checked.members + checked.characters);
      return schemas.every((one) => isValid(one, value, { visit, target: known }));
    } catch {
      return false;
    }
  };
  return { root, demandOf, accepts, spend };
}

/** The only values that a schema allows, where it names them. */
function valuesIn({ const: only, enum: values, anyOf, oneOf }: JsonObject): readonly Json[] | undefined {
  if (only !== undefined) return [only];
  return Array.isArray(values) ? values : (valuesOfAll(anyOf) ?? valuesOfAll(oneOf));
}

/** What a union of constants leaves; undefined for any other one. */
function valuesOfAll(union: Json): readonly Json[] | undefined {
  const values = Array.isArray(union) ? union.map((branch) => valuesIn(objectIn(branch))) : [undefined];
  return values.every((one) => one !== undefined) ? values.flat() : undefined;
}

export function namedValues(nodes: readonly JsonObject[]): readonly Json[] | undefined {
  return nodes.map(valuesIn).find((values) => values !== undefined);
}

type Size = { members: number; characters: number };

/** Of all that is gone through to hold a value against a schema, beside those within it. */
function ownSize(schema: JsonObject): Size {
  const { type, enum: values, const: only, required, allOf, anyOf, oneOf } = schema;
  const branches = [allOf, anyOf, oneOf].flatMap(arrayIn).map(Boolean);
  return sizeOf([values, only, branches, type, required, namesIn([schema])]);
}

/** @throws OutOfWork */
function sizeOf(value: Json, size: Size = { members: 0, characters: 0 }, depth = 1): Size {
  size.members += 1;
  if (typeof value === "string") size.characters += value.length;
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  size.characters += Array.isArray(value) ? 0 : inner.reduce((sum, [key]) => sum + key.length, 0);
  if (size.members + inner.length > MAX_MEMBERS || size.characters > MAX_CHARACTERS || depth > MAX_NESTING)
    throw new OutOfWork();
  for (const [, one] of inner) sizeOf(one, size, depth + 1);
  return size;
}

/** A longer reference names nothing. In characters. */
const MAX_REFERENCE = 512;

export function referenced(root: Json, ref: string): Json {
  if (!/^#(\/|$)/.test(ref) || ref.length > MAX_REFERENCE) return undefined;
  const decoded = ref.replace(/%([\dA-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const names = decoded.split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names
    .slice(1)
    .reduce<Json>((target, name) => Object.getOwnPropertyDescriptor(Object(target), name)?.value, root);
}

export function said(nodes: readonly JsonObject[], keyword: string): Json {
  return nodes.find((node) => node[keyword] !== undefined)?.[keyword];
}

export function namesIn(nodes: readonly JsonObject[]): readonly string[] {
  return [...new Set(nodes.flatMap((node) => Object.keys(objectIn(node.properties))))];
}

/** The types that a value may have, or, where none is named, the one that the keywords are about. */
export function typesOf(nodes: readonly JsonObject[]): readonly string[] {
  const type = said(nodes, "type");
  if (type !== undefined) return [type].flat().flatMap((one) => stringIn(one) ?? []);
  const speaks = (...keywords: string[]) => keywords.some((one) => said(nodes, one) !== undefined);
  if (speaks("properties", "required")) return ["object"];
  if (speaks("items", "prefixItems")) return ["array"];
  return [speaks("minimum", "maximum", "multipleOf") ? "number" : "string"];
}
