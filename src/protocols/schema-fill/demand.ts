import { arrayIn, isObject, type JsonObject, objectIn, stringIn } from "../json/json.ts";
import type { ReadSchema } from "./schema.ts";

/** Schemas that are all said of one value. */
export type Schemas = readonly unknown[];

/** The same, references and `allOf` followed; of each union one branch more. */
interface Demand {
  readonly nodes: readonly JsonObject[];
  readonly unions: readonly Schemas[];
}

/** Undefined if nothing can satisfy it. */
export function demandOf(schema: ReadSchema, schemas: Schemas): Demand | undefined {
  const nodes = new Set<JsonObject>();
  const open = [...schemas];
  for (const one of open) {
    if (one === false) return undefined;
    if (!isObject(one) || nodes.has(one)) continue;
    nodes.add(one);
    open.push(...arrayIn(one.allOf));
    if (one.$ref !== undefined) open.push(schema.target(String(one.$ref)));
    schema.spend(100 + 16 * Object.keys(objectIn(one.properties)).length + 16 * arrayIn(one.anyOf ?? one.oneOf).length);
  }
  return { nodes: [...nodes], unions: [...nodes].flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].filter(Array.isArray)) };
}

/** The keyword as the first of the schemas that has it says it. */
export function said(nodes: readonly JsonObject[], keyword: string): unknown {
  return nodes.find((node) => node[keyword] !== undefined)?.[keyword];
}

/** The members that the schemas tell of. */
export function namesIn(nodes: readonly JsonObject[]): readonly string[] {
  return [...new Set(nodes.flatMap((node) => Object.keys(objectIn(node.properties))))];
}

export function memberOf(nodes: readonly JsonObject[], name: string): Schemas {
  return nodes.map(({ properties, additionalProperties }) =>
    Object.hasOwn(objectIn(properties), name) ? objectIn(properties)[name] : (additionalProperties ?? true),
  );
}

/** An element of a list; tuples old and new. */
export function elementAt(nodes: readonly JsonObject[], index: number): Schemas {
  return nodes.map((node) => {
    const tuple = tupleIn(node);
    const rest = Array.isArray(node.items) ? node.additionalItems : node.items;
    return index < tuple.length ? tuple[index] : (rest ?? node.contains ?? true);
  });
}

/** Places in a list that differ in what may stand there. */
export function listPlaces(nodes: readonly JsonObject[]): readonly Schemas[] {
  return Array.from({ length: 1 + Math.max(0, ...nodes.map((node) => tupleIn(node).length)) }, (_, index) =>
    elementAt(nodes, index),
  );
}

function tupleIn({ prefixItems, items }: JsonObject): readonly unknown[] {
  return Array.isArray(prefixItems) ? prefixItems : arrayIn(items);
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
