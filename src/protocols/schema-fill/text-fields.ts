import { isObject, type JsonObject } from "../json/json.ts";
import { demandOf, memberOf, namesIn, listPlaces, type Schemas, said, typesOf } from "./demand.ts";
import { isDoneName, textFitness } from "./field-meaning.ts";
import { isFreeText } from "./scalars.ts";
import type { ReadSchema } from "./schema.ts";

/** How fit a field of this name is to carry a text, itself or within; 0 if it cannot. */
export type Fitness = (schemas: Schemas, name: string) => number;

export function fitnessIn(schema: ReadSchema): Fitness {
  const known = new Map<unknown, Map<string, number>>();
  const fitness: Fitness = (schemas, name) => {
    const first = schemas.find(isObject);
    const scores = known.get(first) ?? new Map<string, number>();
    known.set(first, scores);
    // What is within itself has no place of its own for the text.
    if (!scores.has(name)) scores.set(name, 0).set(name, scoreOf(schemas, name));
    return scores.get(name) ?? 0;
  };
  const scoreOf: Fitness = (schemas, name) => {
    const demand = demandOf(schema, schemas);
    if (demand === undefined || said(demand.nodes, "enum") !== undefined) return 0;
    const { nodes, unions } = demand;
    if (unions.length > 0) return best(unions.flat().map((branch) => fitness([branch], name)));
    schema.spend(100);
    const types = typesOf(nodes);
    return best([
      types.includes("string") ? stringFitness(nodes, name) : 0,
      // An action that ends the run is the place for its last words.
      types.includes("object")
        ? best(members(nodes, fitness).map((one) => (isDoneName(one.name) ? one.score + 40 : one.score))) - 1
        : 0,
      types.includes("array") && said(nodes, "maxItems") !== 0
        ? best(listPlaces(nodes).map((place) => fitness(place, name))) - 2
        : 0,
    ]);
  };
  return fitness;
}

function best(scores: readonly number[]): number {
  return scores.reduce((one, other) => Math.max(one, other), 0);
}

function stringFitness(nodes: readonly JsonObject[], name: string): number {
  const most = Number(said(nodes, "maxLength") ?? Number.POSITIVE_INFINITY);
  if (most === 0 || !isFreeText(nodes)) return 0;
  return most < 40 ? 5 : textFitness(name);
}

/** The member of an object that is told the text where the schema leaves all members free. */
const FREE_MEMBER = "message";

function members(nodes: readonly JsonObject[], fitness: Fitness): readonly { name: string; score: number }[] {
  const isClosed = nodes.some((node) => node.additionalProperties === false || node.maxProperties === 0);
  // An empty list of properties says: none.
  if (said(nodes, "properties") === undefined) return isClosed ? [] : [{ name: FREE_MEMBER, score: 2 }];
  const scored = namesIn(nodes).map((name) => ({ name, score: fitness(memberOf(nodes, name), name) }));
  return scored.filter(({ score }) => score > 0);
}

/** Members of the object that can carry a text, the best first. */
export function carriers(
  nodes: readonly JsonObject[],
  required: ReadonlySet<string>,
  fitness: Fitness,
): readonly string[] {
  const scoreOf = ({ name, score }: { name: string; score: number }) => (required.has(name) ? score + 3 : score);
  return members(nodes, fitness)
    .toSorted((one, other) => scoreOf(other) - scoreOf(one))
    .map(({ name }) => name);
}

/** The place in a list that is best suited to a text; -1 if none can carry it. */
export function bestPlace(nodes: readonly JsonObject[], name: string, fitness: Fitness): number {
  const scores = listPlaces(nodes).map((place) => fitness(place, name));
  return best(scores) > 0 ? scores.indexOf(best(scores)) : -1;
}
