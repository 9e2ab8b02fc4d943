import type { Work } from "../../work.ts";
import { type Json, arrayIn, isObject, type JsonObject, objectIn, stringIn } from "../json/json.ts";
import { isValid } from "./is-valid.ts";

export type ReadSchema = ReturnType<typeof readSchema>;

export type Schemas = readonly Json[];

/** Nothing more is looked for: too large, nested too deep, without an end, not known, or more work than an answer is worth. */
class OutOfWork extends Error {}

const WORK = 400_000;
/** What it costs to hold a value against one schema, beside what stands in both. */
const VISIT = 100;
const MAX_CHARACTERS = 65_536;
const MAX_MEMBERS = 4_096;
const MAX_NESTING = 64;

/** A client's schema, and a count of all the work with it. @throws OutOfWork */
export function readSchema(source: Json, whole: Work) {
  const targets: Record<string, Json> = Object.create(null);
  const references = new Set<string>();
  const sizes = new WeakMap<JsonObject, Size>();
  let checked = sizeOf(source);
  const work = whole.part(WORK);
  const spend = (units: number) => {
    if (!work.spend(units)) throw new OutOfWork();
  };
  /** @param isMap its keys are names, not keywords */
  const copy = (value: Json, isMap = false): Json => {
    if (Array.isArray(value)) return value.map((one) => copy(one));
    if (!isObject(value)) return value;
    const node: Record<string, Json> = Object.create(null);
    for (const [key, inner] of Object.entries(value))
      node[key] = !isMap && VALUE.test(key) ? inner : copy(inner, !isMap && MAP.test(key));
    if (isMap) return node;
    const schema = normalised(node);
    if (typeof schema.$ref === "string") references.add(schema.$ref);
    const { type, required, dependentRequired, dependencies, allOf, anyOf, oneOf } = schema;
    const branches = [allOf, anyOf, oneOf].flatMap(arrayIn).map(Boolean);
    const lists = [branches, type, required, dependentRequired, dependencies, namesIn([schema])];
    sizes.set(schema, sizeOf([schema.enum, ...lists]));
    return schema;
  };
  const visit = (schema: JsonObject, value: Json) => {
    const { $ref, $recursiveRef, $dynamicRef } = schema;
    const own = sizes.get(schema);
    const isKnown = $ref === undefined || targets[String($ref)] !== undefined;
    if (own === undefined || !isKnown || ($recursiveRef ?? $dynamicRef) !== undefined) throw new OutOfWork();
    const pairs = schema.uniqueItems ? checked.members ** 2 : 0;
    const length = typeof value === "string" ? value.length / 8 : 8 * Object.keys(Object(value)).length;
    spend(VISIT + 2 * own.members + own.characters / 32 + length + pairs);
  };
  const root = copy(source);
  for (const ref of references) targets[ref] = referenced(root, ref);
  /** What all of these schemas demand of one value, references and `allOf` followed; undefined if nothing can satisfy it. */
  const demandOf = (schemas: Schemas) => {
    const nodes = new Set<JsonObject>();
    const open = [...schemas];
    for (const one of open) {
      if (one === false) return undefined;
      if (!isObject(one) || nodes.has(one)) continue;
      nodes.add(one);
      open.push(...arrayIn(one.allOf), ...(one.$ref === undefined ? [] : [targets[String(one.$ref)] ?? false]));
      spend(VISIT + 16 * (namesIn([one]).length + arrayIn(one.anyOf ?? one.oneOf).length));
    }
    const unions = [...nodes].flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].filter(Array.isArray));
    return { nodes: [...nodes], unions };
  };
  /** Patterns and formats are taken on trust: one regular expression of a client's can keep a processor busy for hours. */
  const accepts = (schemas: Schemas, value: Json) => {
    try {
      checked = sizeOf(value);
      spend(checked.members + checked.characters);
      return schemas.every((one) => isValid(one, value, { visit, targets }));
    } catch {
      return false;
    }
  };
  return { root, demandOf, accepts, spend };
}

const VALUE = /^(enum|const|default|examples?|required|type|dependentRequired)$/;
const MAP = /^(properties|\$defs|definitions|dependentSchemas|dependencies)$/;

/** One way to name constants; what is taken on trust gets names that no validator knows. */
function normalised({ pattern, format, patternProperties, ...rest }: JsonObject): Record<string, Json> {
  const node: Record<string, Json> = { ...rest, $pattern: pattern, $format: format };
  if (node.const !== undefined) node.enum = [node.const];
  if (node.exclusiveMinimum === true) node.exclusiveMinimum = node.minimum;
  if (node.exclusiveMaximum === true) node.exclusiveMaximum = node.maximum;
  // Which members a pattern means cannot be told without running it.
  if (patternProperties !== undefined) node.additionalProperties = false;
  const union = node.anyOf === undefined ? "oneOf" : "anyOf";
  const values = arrayIn(node[union]).map((branch) => objectIn(branch).enum);
  if (node.enum !== undefined || values.length === 0 || !values.every(Array.isArray)) return node;
  return { ...node, enum: values.flat(), [union]: undefined };
}

type Size = { members: number; characters: number };

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

export function memberOf(nodes: readonly JsonObject[], name: string): Schemas {
  return nodes.map(({ properties, additionalProperties = true }) =>
    Object.hasOwn(objectIn(properties), name) ? objectIn(properties)[name] : additionalProperties,
  );
}

export function elementAt(nodes: readonly JsonObject[], index: number): Schemas {
  return nodes.map(({ prefixItems, items, additionalItems, contains }) => {
    const tuple = arrayIn(prefixItems ?? items);
    return index < tuple.length ? tuple[index] : ((Array.isArray(items) ? additionalItems : items) ?? contains ?? true);
  });
}

/** The types that a value may have, or, where none is named, the one that the keywords are about. */
export function typesOf(nodes: readonly JsonObject[]): readonly string[] {
  const type = said(nodes, "type");
  if (type !== undefined) return [type].flat().flatMap((one) => stringIn(one) ?? []);
  const speaks = (...keywords: string[]) => keywords.some((one) => said(nodes, one) !== undefined);
  if (speaks("properties", "required")) return ["object"];
  if (speaks("items", "prefixItems", "contains")) return ["array"];
  return [speaks("minimum", "maximum", "multipleOf") ? "number" : "string"];
}
