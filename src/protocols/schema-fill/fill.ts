import { arrayIn, isObject, type JsonObject, jsonText } from "../json/json.ts";
import {
  bestWord,
  booleanMeaning,
  type Ended,
  isDoneName,
  isNeutralWord,
  textFitness,
  wordMeaning,
} from "./field-meaning.ts";
import { filledNumber, filledString, isFreeText } from "./scalars.ts";
import { type ReadSchema, readSchema } from "./schema.ts";
import { demandOf, elementAt, listPlaces, memberOf, namesIn, said, type Schemas, typesOf } from "./demand.ts";

/**
 * A JSON value that satisfies the schema and carries the text in the field best suited to it, or, where no field
 * can, the value alone. Fields say what a run that ended so would say. Undefined if no value was found.
 */
export function fillSchema(schema: unknown, text: string, ended: Ended = "badly"): unknown {
  return found(schema, text, ended)?.value;
}

/**
 * The same as JSON. Undefined, too, where the run did not end well and each value would state a decision that was never made:
 * "approve", a plain yes, a number other than nought. Such a value must not go to a person as the outcome of a stopped run.
 */
export function honestJson(schema: unknown, text: string, ended: Ended): string | undefined {
  const filled = found(schema, text, ended);
  const json = jsonText(filled?.value);
  if (filled === undefined || json === undefined || ended === "well") return json;
  const states = json.includes(JSON.stringify(text).slice(1, -1)) ? "decision" : "something";
  return filled.states === states || filled.states === "decision" ? undefined : json;
}

/** Whether a value is one that the schema asks for. */
export function satisfies(schema: unknown, value: unknown): boolean {
  if (value === undefined) return false;
  try {
    const read = readSchema(schema);
    return read.accepts(read.root, value);
  } catch {
    return false;
  }
}

function found(source: unknown, text: string, ended: Ended): Filled | undefined {
  try {
    const schema = readSchema(source);
    const filled = fill({ schema, ended, fitness: fitnessIn(schema) }, [schema.root], { name: "", text, depth: 0 });
    return filled !== undefined && schema.accepts(schema.root, filled.value) ? filled : undefined;
  } catch {
    // It takes more work than an answer is worth.
    return undefined;
  }
}

interface Task {
  readonly schema: ReadSchema;
  readonly ended: Ended;
  readonly fitness: Fitness;
}

interface Field {
  readonly name: string;
  /** Set for the one field that shall carry it. */
  readonly text?: string | undefined;
  readonly depth: number;
}

interface Filled {
  readonly value: unknown;
  /** What it says beside the text; "something" is a decision only where the text stands nowhere. */
  readonly states: "nothing" | "something" | "decision";
}

/** More than this of anything is a trap, not an answer. */
const MAX_ITEMS = 100;
const MAX_DEPTH = 24;
const MAX_BRANCHES = 64;

/** A value of which all of these schemas are true: branch by branch, until one has a value that they accept. */
function fill(task: Task, schemas: Schemas, field: Field, taken: readonly unknown[] = []): Filled | undefined {
  task.schema.spend(200);
  const demand = field.depth > MAX_DEPTH ? undefined : demandOf(task.schema, schemas);
  if (demand === undefined) return undefined;
  const isAccepted = (value: unknown) => schemas.every((schema) => task.schema.accepts(schema, value));
  const union = demand.unions.find((one) => !taken.includes(one));
  if (union === undefined) return fillPlain(task, demand.nodes, field, isAccepted);
  for (const branch of ranked(task, union, field).slice(0, MAX_BRANCHES)) {
    const filled = fill(task, [...schemas, branch], field, [...taken, union]);
    if (filled !== undefined && isAccepted(filled.value)) return filled;
  }
  return undefined;
}

/** The branches that carry the text first; of those that need not, null, for it is over. */
function ranked({ schema, fitness }: Task, union: Schemas, { name, text }: Field): Schemas {
  const scored = union.map((branch) => {
    if (text !== undefined) return { branch, score: fitness([branch], name) };
    const nodes = demandOf(schema, [branch])?.nodes ?? [];
    const ends = namesIn(nodes).some(isDoneName) ? 50 : 0;
    return { branch, score: ends + (typesOf(nodes).includes("null") ? 100 : 0) };
  });
  return scored.toSorted((one, other) => other.score - one.score).map(({ branch }) => branch);
}

type IsAccepted = (value: unknown) => boolean;

function fillPlain(task: Task, nodes: readonly JsonObject[], field: Field, isAccepted: IsAccepted): Filled | undefined {
  const preset = said(nodes, "default");
  const values = said(nodes, "enum");
  if (Array.isArray(values)) return fillChoice(values, preset, field, task.ended, isAccepted);
  const types = typesOf(nodes);
  const isMeaningful = types.includes("boolean") && booleanMeaning(field.name, task.ended) !== undefined;
  if (field.text === undefined && preset !== undefined && !isMeaningful && isAccepted(preset))
    return { value: preset, states: "nothing" };
  const order = field.text === undefined ? ["null", "boolean", "string"] : ["string", "object", "array"];
  for (const type of [...order.filter((one) => types.includes(one)), ...types.filter((one) => !order.includes(one))]) {
    const filled = fillType(task, type, nodes, field, isAccepted);
    if (filled !== undefined) return filled;
  }
  return undefined;
}

/** Allowed values tried beside the best one. */
const MAX_TRIED = 8;

function fillChoice(
  values: readonly unknown[],
  preset: unknown,
  { name }: Field,
  ended: Ended,
  isAccepted: IsAccepted,
): Filled | undefined {
  const meant = booleanMeaning(name, ended);
  const best = values.includes(meant) ? meant : (wordMeaning(values, meant) ?? bestWord(values, ended));
  const index = [best, ...values.slice(0, MAX_TRIED)].findIndex(isAccepted);
  if (index === -1) return undefined;
  const value = index === 0 ? best : values[index - 1];
  const isOpen = values.length > 1 && value !== null && value !== preset && !isKnown(value, name);
  return { value, states: isOpen ? "decision" : "nothing" };
}

/** It says that the run did not end well, or nothing at all. */
function isKnown(value: unknown, name: string): boolean {
  const meaning = booleanMeaning(name, "badly");
  if (typeof value !== "string") return typeof value === "boolean" && meaning === value;
  return isNeutralWord(value) || wordMeaning([value], meaning) === value;
}

function fillType(
  task: Task,
  type: string,
  nodes: readonly JsonObject[],
  field: Field,
  isAccepted: IsAccepted,
): Filled | undefined {
  if (type === "object") return fillObject(task, nodes, field);
  if (type === "array") return fillArray(task, nodes, field);
  if (type === "null") return { value: null, states: "nothing" };
  if (type === "boolean") {
    const isMeant = booleanMeaning(field.name, "badly") !== undefined;
    return { value: booleanMeaning(field.name, task.ended) ?? false, states: isMeant ? "nothing" : "decision" };
  }
  if (type === "string") {
    task.schema.spend(64 * String(said(nodes, "$pattern") ?? "").length);
    const value = filledString(nodes, field.text);
    const isFree = value === "" || (said(nodes, "$format") ?? said(nodes, "$pattern")) === undefined;
    return value === undefined ? undefined : { value, states: isFree ? "nothing" : "something" };
  }
  const value = type === "number" || type === "integer" ? filledNumber(nodes, isAccepted) : undefined;
  return value === undefined ? undefined : { value, states: value === 0 ? "something" : "decision" };
}

/** The strongest of what the parts state. */
function statedIn(parts: readonly Filled[]): Filled["states"] {
  const has = (states: Filled["states"]) => parts.some((part) => part.states === states);
  return has("decision") ? "decision" : has("something") ? "something" : "nothing";
}

function fillArray(task: Task, nodes: readonly JsonObject[], { name, text, depth }: Field): Filled | undefined {
  const least = Number(said(nodes, "minItems") ?? (said(nodes, "contains") === undefined ? 0 : 1));
  const most = Number(said(nodes, "maxItems") ?? MAX_ITEMS);
  if (least > Math.min(most, MAX_ITEMS)) return undefined;
  const place = text === undefined ? -1 : bestPlace(nodes, name, task.fitness);
  const parts: Filled[] = [];
  for (let index = 0; index < Math.min(most, Math.max(least, place + 1)); index += 1) {
    const inner = { name, depth: depth + 1 };
    const schemas = elementAt(nodes, index);
    const told = index === place ? fill(task, schemas, { ...inner, text }) : undefined;
    const filled = told ?? fill(task, schemas, inner);
    if (filled === undefined) break;
    parts.push(filled);
  }
  return parts.length < least ? undefined : { value: parts.map(({ value }) => value), states: statedIn(parts) };
}

function fillObject(task: Task, nodes: readonly JsonObject[], { text, depth }: Field): Filled | undefined {
  const declared = namesIn(nodes);
  const required = new Set(nodes.flatMap((node) => arrayIn(node.required)).map(String));
  const members = new Map<string, Filled>();
  const put = (name: string, told?: string): boolean => {
    const filled = fill(task, memberOf(nodes, name), { name, text: told, depth: depth + 1 });
    if (filled !== undefined) members.set(name, filled);
    return filled !== undefined;
  };
  // `some` stops at the first field that takes the text.
  if (text !== undefined) carriers(nodes, required, task.fitness).some((name) => put(name, text));
  for (const name of required) if (!members.has(name) && !put(name)) return undefined;
  for (const name of declared) {
    const saysHow = booleanMeaning(name, task.ended) !== undefined;
    if (saysHow && !members.has(name) && memberOf(nodes, name).some(isBoolean)) put(name);
  }
  // Thoughts before conclusions, as the schema's author wanted them read.
  const order = [...new Set([...declared, ...members.keys()])].filter((name) => members.has(name));
  const value = Object.fromEntries(order.map((name) => [name, members.get(name)?.value]));
  return { value, states: statedIn([...members.values()]) };
}

function isBoolean(schema: unknown): boolean {
  return isObject(schema) && schema.type === "boolean";
}

/** How fit a field of this name is to carry a text, itself or within; 0 if it cannot. */
type Fitness = (schemas: Schemas, name: string) => number;

function fitnessIn(schema: ReadSchema): Fitness {
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
function carriers(nodes: readonly JsonObject[], required: ReadonlySet<string>, fitness: Fitness): readonly string[] {
  const scoreOf = ({ name, score }: { name: string; score: number }) => (required.has(name) ? score + 3 : score);
  return members(nodes, fitness)
    .toSorted((one, other) => scoreOf(other) - scoreOf(one))
    .map(({ name }) => name);
}

/** The place in a list that is best suited to a text; -1 if none can carry it. */
function bestPlace(nodes: readonly JsonObject[], name: string, fitness: Fitness): number {
  const scores = listPlaces(nodes).map((place) => fitness(place, name));
  return best(scores) > 0 ? scores.indexOf(best(scores)) : -1;
}
