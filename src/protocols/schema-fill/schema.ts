import { type Schema, validate } from "@cfworker/json-schema";
import { arrayIn, isObject, type JsonObject, objectIn, stringIn } from "../json/json.ts";

/** A client's schema as it is read here: what is understood of it, and a count of all the work with it. */
export interface ReadSchema {
  readonly root: Schema | boolean;
  /** What all of these schemas demand of one value; undefined if nothing can satisfy it. */
  demandOf(schemas: Schemas): Demand | undefined;
  /** Patterns and formats are taken on trust: one regular expression of a client's can keep a processor busy for hours. */
  accepts(schema: unknown, value: unknown): boolean;
  /** @throws OutOfWork */
  spend(units: number): void;
}

/** Schemas that are all said of one value. */
export type Schemas = readonly unknown[];

/** The same, references and `allOf` followed; of each union one branch more. */
interface Demand {
  readonly nodes: readonly JsonObject[];
  readonly unions: readonly Schemas[];
}

/** Nothing more is looked for: too large, nested too deep, without an end, or more work than an answer is worth. */
class OutOfWork extends Error {}

/** In units of some 30 ns. */
const WORK = 400_000;
/** What it costs to hold a value against one schema, beside what stands in both. */
const VISIT = 100;
/** Of a schema, or of a value that is checked. */
const MAX_CHARACTERS = 65_536;
const MAX_MEMBERS = 4_096;
const MAX_NESTING = 32;

/** @throws OutOfWork */
export function readSchema(source: unknown): ReadSchema {
  const copies = new Map<object, Schema>();
  const targets: Record<string, Schema | boolean> = Object.create(null);
  const references: string[] = [];
  const size: Size = { members: 0, characters: 0 };
  let checked = size;
  let left = WORK;
  const spend = (units: number) => {
    left -= units;
    if (left < 0) throw new OutOfWork();
  };
  const copy = (schema: unknown, depth: number): Schema | boolean => {
    if (!isObject(schema)) return schema !== false;
    const known = copies.get(schema);
    if (known !== undefined) return known;
    if (depth > MAX_NESTING) throw new OutOfWork();
    const node: Schema = {};
    copies.set(schema, node);
    let units = VISIT + 4 * depth;
    for (const [keyword, value] of entriesIn(schema)) {
      const inner = understood(keyword, value, (one) => copy(one, depth + 1));
      if (inner !== undefined) node[keyword] = inner;
      // Schemas count on their own: here by their names alone.
      if (inner !== undefined) units += measure(inner === value ? value : Object.keys(Object(inner)), size);
    }
    normalise(node, schema);
    if (node.$ref !== undefined) references.push(node.$ref);
    const readsTexts = (node.minLength ?? node.maxLength ?? node.enum) !== undefined;
    // The validator asks each schema that it comes to for this keyword: here its work is counted.
    const get = () => {
      const texts = readsTexts ? checked.characters / 8 : 0;
      spend(units + checked.members / 8 + texts + (node.uniqueItems ? checked.members ** 2 : 0));
    };
    return Object.defineProperty(node, "$recursiveAnchor", { get });
  };
  const root = copy(source, 0);
  for (const ref of references) targets[ref] ??= copy(referenced(source, ref) ?? false, 0);
  const demandOf = (schemas: Schemas): Demand | undefined => {
    const nodes = new Set<JsonObject>();
    const open = [...schemas];
    for (const one of open) {
      if (one === false) return undefined;
      if (!isObject(one) || nodes.has(one)) continue;
      nodes.add(one);
      open.push(...arrayIn(one.allOf), ...(one.$ref === undefined ? [] : [targets[String(one.$ref)] ?? false]));
      spend(VISIT + 16 * (Object.keys(objectIn(one.properties)).length + arrayIn(one.anyOf ?? one.oneOf).length));
    }
    return {
      nodes: [...nodes],
      unions: [...nodes].flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].filter(Array.isArray)),
    };
  };
  const accepts = (schema: unknown, value: unknown) => {
    if (!isObject(schema)) return schema !== false;
    try {
      checked = { members: 0, characters: 0 };
      spend(measure(value, checked));
      return validate(value, schema, "2019-09", targets).valid;
    } catch {
      // No work is left for it, or it is nested deeper than can be followed.
      return false;
    }
  };
  return { root, demandOf, accepts, spend };
}

const ONE = /^(items|contains|not|if|then|else|propertyNames|(additional|unevaluated)(Items|Properties))$/;
const LIST = /^(allOf|anyOf|oneOf|prefixItems|items)$/;
const MAP = /^(properties|dependentSchemas|dependencies)$/;
const VALUE =
  /^(\$ref|type|enum|const|default|required|pattern|format|multipleOf|uniqueItems|dependentRequired|(min|max)(imum|Length|Items|Properties|Contains)|exclusive(Min|Max)imum)$/;

/** Undefined for a keyword that is not understood. */
function understood(keyword: string, value: unknown, copy: (schema: unknown) => Schema | boolean): unknown {
  if (Array.isArray(value) && LIST.test(keyword)) return entriesIn(value).map(([, one]) => copy(one));
  if (ONE.test(keyword)) return copy(value);
  if (!MAP.test(keyword)) return VALUE.test(keyword) ? value : undefined;
  // What a member depends on may be a list of others.
  const schemas = entriesIn(value).map(([name, one]) => [name, copy(Array.isArray(one) ? { required: one } : one)]);
  return Object.fromEntries(schemas);
}

/** One way to name constants; what is taken on trust gets names that no validator knows. */
function normalise(node: Schema, { patternProperties }: JsonObject): void {
  const { pattern, format, const: only, anyOf, oneOf } = node;
  for (const keyword of ["pattern", "format", "const"]) delete node[keyword];
  if (pattern !== undefined) node.$pattern = pattern;
  if (format !== undefined) node.$format = format;
  if (only !== undefined) node.enum = [only];
  // Which members a pattern means cannot be told without running it.
  if (Object.keys(objectIn(patternProperties)).length > 0) node.maxProperties = 0;
  const branches = arrayIn(anyOf ?? oneOf).map(objectIn);
  if (node.enum !== undefined || branches.length === 0 || branches.some((one) => one.enum === undefined)) return;
  node.enum = branches.flatMap((one) => arrayIn(one.enum));
  delete node[anyOf === undefined ? "oneOf" : "anyOf"];
}

interface Size {
  members: number;
  characters: number;
}

/** Adds the size of a value. @returns the units of work that looking at it is @throws OutOfWork */
function measure(value: unknown, size: Size, depth = 1): number {
  const before = size.members + size.characters;
  size.members += 1;
  if (typeof value === "string") size.characters += value.length;
  if (size.members > MAX_MEMBERS || size.characters > MAX_CHARACTERS || depth > MAX_NESTING) throw new OutOfWork();
  for (const [key, inner] of entriesIn(value)) {
    if (!Array.isArray(value)) size.characters += key.length;
    measure(inner, size, depth + 1);
  }
  return size.members + size.characters - before;
}

/** @throws OutOfWork */
function entriesIn(value: unknown): readonly (readonly [name: string, value: unknown])[] {
  if (typeof value !== "object" || value === null) return [];
  if ((Array.isArray(value) ? value : Object.keys(value)).length > MAX_MEMBERS) throw new OutOfWork();
  return Object.entries(value);
}

/** A longer reference names nothing. In characters. */
const MAX_REFERENCE = 512;

/** What `#/$defs/name` and the like point at. */
export function referenced(root: unknown, ref: string): unknown {
  if (!/^#(\/|$)/.test(ref) || ref.length > MAX_REFERENCE) return undefined;
  let target = root;
  for (const key of decoded(ref).split("/").slice(1)) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, name)) return undefined;
    target = Array.isArray(target) ? target[Number(name)] : objectIn(target)[name];
  }
  return target;
}

function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    // A stray % is then part of the name.
    return pointer;
  }
}

// --- What the schemas of one value say together. ---

/** The keyword as the first of the schemas that has it says it. */
export function said(nodes: readonly JsonObject[], keyword: string): unknown {
  return nodes.find((node) => node[keyword] !== undefined)?.[keyword];
}

/** The members that the schemas tell of. */
export function namesIn(nodes: readonly JsonObject[]): readonly string[] {
  return [...new Set(nodes.flatMap((node) => Object.keys(objectIn(node.properties))))];
}

export function memberOf(nodes: readonly JsonObject[], name: string): Schemas {
  return nodes.map(({ properties, additionalProperties = true }) =>
    Object.hasOwn(objectIn(properties), name) ? objectIn(properties)[name] : additionalProperties,
  );
}

/** An element of a list; tuples old and new. */
export function elementAt(nodes: readonly JsonObject[], index: number): Schemas {
  return nodes.map(({ prefixItems, items, additionalItems, contains }) => {
    const tuple = arrayIn(prefixItems ?? items);
    return index < tuple.length ? tuple[index] : ((Array.isArray(items) ? additionalItems : items) ?? contains ?? true);
  });
}

/** What keywords are about, where no type is named. */
const HINTS = {
  object: ["properties", "required"],
  array: ["items", "prefixItems"],
  string: ["minLength", "$pattern", "$format"],
  number: ["minimum", "maximum", "multipleOf"],
};

/** The types that a value may have, best first. */
export function typesOf(nodes: readonly JsonObject[]): readonly string[] {
  const type = said(nodes, "type");
  if (type !== undefined) return [type].flat().flatMap((one) => stringIn(one) ?? []);
  const hinted = Object.entries(HINTS).filter(([, keywords]) => keywords.some((one) => said(nodes, one) !== undefined));
  return [...new Set([...hinted.map(([name]) => name), "string", "object"])];
}
