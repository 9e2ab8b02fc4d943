import { isDoneName, textFitness } from "./field-meaning.ts";
import { arrayIn, isObject, type JsonObject, objectIn } from "../json/json.ts";
import { elementSchemas } from "./accepts.ts";
import { type MergeBudget, flatten, typeList } from "./merge.ts";
import { allowsAnyText, formatExample } from "./strings.ts";

/** The member of an object that is told the text where the schema leaves all members free. */
const freeMember = "message";

/** Members of the object that can carry a text, the best first. */
export function carriers(root: unknown, flat: JsonObject, cost: MergeBudget): readonly string[] {
  const properties = objectIn(flat.properties);
  const required = new Set(arrayIn(flat.required));
  const scored = Object.entries(properties).map(([name, schema]) => {
    const score = fitness(root, schema, name, cost);
    return { name, score: score > 0 ? Math.max(1, score - (required.has(name) ? 0 : 3)) : 0 };
  });
  if (isFree(flat)) scored.push({ name: freeMember, score: 1 });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ name }) => name);
}

/** How fit a field of this name and schema is to carry a text, itself or within; 0 if it cannot. */
export function fitness(root: unknown, schema: unknown, name: string, cost: MergeBudget, level = 0): number {
  if (level > maxLevel) return 0;
  const score = cost.within(() => {
    const flat = flatten(root, schema, cost);
    if (flat === undefined || flat.enum !== undefined) return 0;
    const inner = (part: unknown, partName: string) => fitness(root, part, partName, cost, level + 1);
    if (Array.isArray(flat.anyOf)) return best(flat.anyOf.map((branch) => inner(branch, name)));
    const types = typesOf(flat);
    return best([
      types.includes("string") ? stringFitness(flat, name) : 0,
      types.includes("object") ? objectFitness(flat, inner) : 0,
      types.includes("array") ? arrayFitness(flat, name, inner) : 0,
    ]);
  });
  return score ?? 0;
}

const maxLevel = 6;

function best(scores: readonly number[]): number {
  return scores.reduce((one, other) => Math.max(one, other), 0);
}

function stringFitness(flat: JsonObject, name: string): number {
  if (formatExample(flat.format) !== undefined) return 0;
  if (flat.pattern !== undefined && !allowsAnyText(flat.pattern)) return 0;
  if (flat.maxLength === 0) return 0;
  const isShort = typeof flat.maxLength === "number" && flat.maxLength < 40;
  return isShort ? 5 : textFitness(name);
}

type Inner = (schema: unknown, name: string) => number;

function objectFitness(flat: JsonObject, inner: Inner): number {
  const scores = Object.entries(objectIn(flat.properties)).map(([name, schema]) => {
    const score = inner(schema, name);
    // An action that ends the run is the place for its last words.
    return score > 0 && isDoneName(name) && isObject(schema) ? score + 40 : score;
  });
  return Math.max(best(scores) - 1, isFree(flat) ? 1 : 0);
}

function arrayFitness(flat: JsonObject, name: string, inner: Inner): number {
  if (flat.maxItems === 0) return 0;
  const { prefix, rest } = elementSchemas(flat);
  return Math.max(0, best([...prefix, rest ?? {}].map((schema) => inner(schema, name))) - 2);
}

/** An object of which the schema says nothing but that it is one. An empty list of properties says: none. */
function isFree(flat: JsonObject): boolean {
  return flat.properties === undefined && flat.additionalProperties !== false && flat.patternProperties === undefined;
}

const hints: readonly (readonly [keyword: string, type: string])[] = [
  ["properties", "object"],
  ["required", "object"],
  ["items", "array"],
  ["prefixItems", "array"],
  ["minLength", "string"],
  ["pattern", "string"],
  ["format", "string"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["multipleOf", "number"],
];

/** The types that a value may have, best first; where the schema names none, what its other keywords are about. */
export function typesOf(flat: JsonObject): readonly unknown[] {
  if (flat.type !== undefined) return typeList(flat.type);
  const hinted = hints.filter(([keyword]) => flat[keyword] !== undefined).map(([, type]) => type);
  return [...new Set([...hinted, "string", "object"])];
}
