import { arrayIn, isObject, type JsonObject, jsonText } from "../json/json.ts";
import {
  bestWord,
  booleanMeaning,
  type Ended,
  filledNumber,
  filledString,
  isDoneName,
  isKnownWord,
  textFitness,
} from "./fields.ts";
import { elementAt, memberOf, namesIn, type ReadSchema, readSchema, said, type Schemas, typesOf } from "./schema.ts";

export { type Ended, isEndFlag, isThoughtField } from "./fields.ts";
export { referenced } from "./schema.ts";

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
  const decides = filled?.states === "decision" || (filled?.states === "something" && !filled.isTold);
  return decides && ended === "badly" ? undefined : json;
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
  /** Set where it shall carry it if it can. */
  readonly text?: string | undefined;
  readonly depth: number;
}

interface Filled {
  readonly value: unknown;
  /** The text stands in it. */
  readonly isTold?: boolean;
  /** What it says beside the text; "something" is a decision only where the text stands nowhere. */
  readonly states?: "something" | "decision" | undefined;
}

/** More than this of anything is a trap, not an answer. */
const MAX_ITEMS = 100;
const MAX_DEPTH = 24;
const MAX_BRANCHES = 64;

/** A value of which all of these schemas are true: branch by branch, the first that carries the text, or else the first that they accept. */
function fill(task: Task, schemas: Schemas, field: Field, taken: readonly unknown[] = []): Filled | undefined {
  task.schema.spend(200);
  const demand = field.depth > MAX_DEPTH ? undefined : task.schema.demandOf(schemas);
  if (demand === undefined) return undefined;
  const isAccepted = (value: unknown) => schemas.every((schema) => task.schema.accepts(schema, value));
  const union = demand.unions.find((one) => !taken.includes(one));
  if (union === undefined) return fillPlain(task, demand.nodes, field, isAccepted);
  let first: Filled | undefined;
  for (const branch of ranked(task, union, field).slice(0, MAX_BRANCHES)) {
    const filled = fill(task, [...schemas, branch], field, [...taken, union]);
    if (filled === undefined || !isAccepted(filled.value)) continue;
    first ??= filled;
    if (field.text === undefined || filled.isTold) return filled;
  }
  return first;
}

/** The branches that carry the text best first; of those that need not, null and what ends the run. */
function ranked({ schema, fitness }: Task, union: Schemas, { name, text }: Field): Schemas {
  const scored = union.map((branch) => {
    if (text !== undefined) return { branch, score: fitness([branch], name) };
    const nodes = schema.demandOf([branch])?.nodes ?? [];
    return { branch, score: (typesOf(nodes).includes("null") ? 2 : 0) + (namesIn(nodes).some(isDoneName) ? 1 : 0) };
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
  if (field.text === undefined && preset !== undefined && !isMeaningful && isAccepted(preset)) return { value: preset };
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
  const best = bestWord(values, name, ended);
  const value = [best, ...values.slice(0, MAX_TRIED)].find(isAccepted);
  if (value === undefined) return undefined;
  const isOpen = values.length > 1 && value !== null && value !== preset && !isKnownWord(value, name);
  return { value, states: isOpen ? "decision" : undefined };
}

function fillType(
  task: Task,
  type: string,
  nodes: readonly JsonObject[],
  field: Field,
  isAccepted: IsAccepted,
): Filled | undefined {
  const { name, text } = field;
  if (type === "object") return fillObject(task, nodes, field);
  if (type === "array") return fillArray(task, nodes, field);
  if (type === "null") return { value: null };
  if (type === "boolean") {
    const meant = booleanMeaning(name, task.ended);
    return { value: meant ?? false, states: meant === undefined ? "decision" : undefined };
  }
  if (type === "string") {
    task.schema.spend(64 * String(said(nodes, "$pattern") ?? "").length);
    const { value, isFree } = filledString(nodes, text);
    if (value === undefined) return undefined;
    return {
      value,
      isTold: isFree && text !== undefined && value !== "",
      states: isFree || value === "" ? undefined : "something",
    };
  }
  const value = filledNumber(nodes, isAccepted);
  return value === undefined ? undefined : { value, states: value === 0 ? "something" : "decision" };
}

function whole(value: unknown, parts: readonly Filled[]): Filled {
  const states = (["decision", "something"] as const).find((one) => parts.some((part) => part.states === one));
  return { value, states, isTold: parts.some(({ isTold }) => isTold) };
}

function fillArray(task: Task, nodes: readonly JsonObject[], { name, text, depth }: Field): Filled | undefined {
  const least = Number(said(nodes, "minItems") ?? (said(nodes, "contains") === undefined ? 0 : 1));
  const most = Math.min(Number(said(nodes, "maxItems") ?? MAX_ITEMS), MAX_ITEMS);
  if (least > most) return undefined;
  const parts: Filled[] = [];
  const isTold = () => text === undefined || parts.some((part) => part.isTold);
  // A list that need have no element has one for the text.
  for (let index = 0; index < Math.max(least, Math.min(most, isTold() ? 0 : parts.length + 1)); index += 1) {
    const filled = fill(task, elementAt(nodes, index), { name, text: isTold() ? undefined : text, depth: depth + 1 });
    if (filled === undefined || (index >= least && !filled.isTold)) break;
    parts.push(filled);
  }
  return parts.length < least
    ? undefined
    : whole(
        parts.map(({ value }) => value),
        parts,
      );
}

/** The member of an object that is told the text where the schema leaves all members free. */
const FREE_MEMBER = "message";

function fillObject(task: Task, nodes: readonly JsonObject[], { text, depth }: Field): Filled | undefined {
  const declared = namesIn(nodes);
  const required = new Set(nodes.flatMap((node) => arrayIn(node.required)).map(String));
  const members = new Map<string, Filled>();
  const put = (name: string, told?: string): Filled | undefined => {
    const filled = fill(task, memberOf(nodes, name), { name, text: told, depth: depth + 1 });
    if (filled !== undefined && (told === undefined || filled.isTold)) members.set(name, filled);
    return filled;
  };
  // `some` stops at the first member that takes the text.
  if (text !== undefined) carriers(task, nodes, required).some((name) => put(name, text)?.isTold);
  for (const name of required) if (!members.has(name) && put(name) === undefined) return undefined;
  for (const name of declared) {
    const saysHow = booleanMeaning(name, task.ended) !== undefined;
    if (saysHow && !members.has(name) && memberOf(nodes, name).some(isBoolean)) put(name);
  }
  // Thoughts before conclusions, as the schema's author wanted them read.
  const order = [...new Set([...declared, ...members.keys()])].filter((name) => members.has(name));
  return whole(Object.fromEntries(order.map((name) => [name, members.get(name)?.value])), [...members.values()]);
}

function isBoolean(schema: unknown): boolean {
  return isObject(schema) && schema.type === "boolean";
}

/** Members that can carry a text, the best first. */
function carriers({ fitness }: Task, nodes: readonly JsonObject[], required: ReadonlySet<string>): readonly string[] {
  const isClosed = nodes.some((node) => node.additionalProperties === false || node.maxProperties === 0);
  // An empty list of properties says: none.
  if (said(nodes, "properties") === undefined) return isClosed ? [] : [FREE_MEMBER];
  const scored = namesIn(nodes).map((name) => ({ name, score: fitness(memberOf(nodes, name), name) }));
  const scoreOf = ({ name, score }: { name: string; score: number }) => (required.has(name) ? score + 3 : score);
  const able = scored.filter(({ score }) => score > 0).toSorted((one, other) => scoreOf(other) - scoreOf(one));
  return able.map(({ name }) => name);
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
    const demand = schema.demandOf(schemas);
    if (demand === undefined || said(demand.nodes, "enum") !== undefined) return 0;
    const { nodes, unions } = demand;
    const types = unions.length > 0 ? [] : typesOf(nodes);
    const scores = unions.flat().map((branch) => fitness([branch], name));
    if (types.includes("string") && filledString(nodes).isFree)
      scores.push(Number(said(nodes, "maxLength")) < 40 ? 5 : textFitness(name));
    // An action that ends the run is the place for its last words.
    if (types.includes("object"))
      scores.push(...namesIn(nodes).map((one) => fitness(memberOf(nodes, one), one) + (isDoneName(one) ? 39 : -1)));
    if (types.includes("array")) scores.push(...[0, 1].map((index) => fitness(elementAt(nodes, index), name) - 2));
    return scores.reduce((one, other) => Math.max(one, other), 0);
  };
  return fitness;
}
