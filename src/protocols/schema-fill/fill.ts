import { bestWord, booleanMeaning, type Ended, isDoneName, wordMeaning } from "./field-meaning.ts";
import { arrayIn, isObject, type JsonObject, objectIn } from "../json/json.ts";
import { accepts, elementSchemas } from "./accepts.ts";
import { carriers, fitness, typesOf } from "./text-fields.ts";
import { type MergeBudget, mergeBudget, flatten } from "./merge.ts";
import { filledNumber, filledString } from "./scalars.ts";

/**
 * A JSON value that satisfies the schema and carries the text in the field best suited to it, or, where no field
 * can, the value alone. Fields say what a run that ended so would say. Undefined if no value was found.
 */
export function fillSchema(schema: unknown, text: string, ended: Ended = "badly"): unknown {
  const cost = mergeBudget(20_000, 64);
  const filled = fill({ root: schema, cost, ended }, schema, { name: "", text, nth: 0 });
  if (filled === undefined) return undefined;
  return satisfies(schema, filled.value) ? filled.value : undefined;
}

/** Whether a value is one that the schema asks for. */
export function satisfies(schema: unknown, value: unknown): boolean {
  const check = mergeBudget(20_000, 200);
  return value !== undefined && accepts(schema, schema, value, check) && !check.isExhausted;
}

interface Task {
  readonly root: unknown;
  readonly cost: MergeBudget;
  readonly ended: Ended;
}

interface Field {
  readonly name: string;
  /** Set for the one field that shall carry it. */
  readonly text: string | undefined;
  /** Fields that must differ from each other have different numbers. */
  readonly nth: number;
}

/** Wrapped, because null and undefined are different answers. */
type Filled = { readonly value: unknown } | undefined;

/** More than this of anything is a trap, not an answer. */
const maxItems = 100;

function fill(task: Task, schema: unknown, field: Field): Filled {
  return task.cost.within(() => {
    const flat = flatten(task.root, schema, task.cost);
    if (flat === undefined) return undefined;
    const { anyOf, ...common } = flat;
    if (!Array.isArray(anyOf)) return fillFlat(task, flat, field);
    for (const branch of ranked(task, anyOf, field)) {
      const filled = fill(task, { allOf: [common, branch] }, field);
      if (filled !== undefined && accepts(task.root, schema, filled.value, task.cost)) return filled;
    }
    return undefined;
  });
}

/** The branches that carry the text first; of those that need not, null, for it is over. */
function ranked(task: Task, branches: readonly unknown[], { name, text }: Field): readonly unknown[] {
  const scored = branches.map((branch) => {
    const flat = flatten(task.root, branch, task.cost) ?? {};
    const isNull = typesOf(flat).includes("null");
    const ends = Object.keys(objectIn(flat.properties)).some(isDoneName) ? 50 : 0;
    if (text === undefined) return { branch, score: ends + (isNull ? 100 : 0) };
    return { branch, score: fitness(task.root, branch, name, task.cost) };
  });
  return scored.toSorted((one, other) => other.score - one.score).map(({ branch }) => branch);
}

function fillFlat(task: Task, flat: JsonObject, field: Field): Filled {
  const isAllowed = (value: unknown) => accepts(task.root, flat, value, task.cost);
  if (Array.isArray(flat.enum)) {
    const allowed = flat.enum.filter(isAllowed);
    const meant = booleanMeaning(field.name, task.ended);
    const best = allowed.includes(meant) ? meant : (wordMeaning(allowed, meant) ?? bestWord(allowed, task.ended));
    return allowed.length === 0 ? undefined : { value: field.nth === 0 ? best : allowed[field.nth % allowed.length] };
  }
  const takesDefault = field.text === undefined && field.nth === 0 && flat.default !== undefined;
  const types = typesOf(flat);
  const isMeaningful = types.includes("boolean") && booleanMeaning(field.name, task.ended) !== undefined;
  if (takesDefault && !isMeaningful && isAllowed(flat.default)) return { value: flat.default };
  for (const type of inOrder(types, field)) {
    const filled = fillType(task, type, flat, field);
    if (filled !== undefined) return filled;
  }
  return undefined;
}

function inOrder(types: readonly unknown[], { text }: Field): readonly unknown[] {
  const order = text === undefined ? ["null", "boolean", "string"] : ["string", "object", "array"];
  return [
    ...order.filter((type) => types.includes(type)),
    ...types.filter((type) => typeof type === "string" && !order.includes(type)),
  ];
}

function fillType(task: Task, type: unknown, flat: JsonObject, field: Field): Filled {
  switch (type) {
    case "object":
      return fillObject(task, flat, field);
    case "array":
      return fillArray(task, flat, field);
    case "string":
      return wrapped(filledString(flat, field.text, field.nth));
    case "number":
    case "integer":
      return wrapped(filledNumber(flat, field.nth, (value) => accepts(task.root, { ...flat, type }, value, task.cost)));
    case "boolean":
      return { value: (booleanMeaning(field.name, task.ended) ?? false) !== (field.nth % 2 === 1) };
    case "null":
      return { value: null };
    default:
      return undefined;
  }
}

function wrapped(value: unknown): Filled {
  return value === undefined ? undefined : { value };
}

function fillArray(task: Task, flat: JsonObject, field: Field): Filled {
  const { prefix, rest } = elementSchemas(flat);
  const element = rest ?? flat.contains ?? {};
  const least = Math.max(countIn(flat.minItems), flat.contains === undefined ? 0 : countIn(flat.minContains ?? 1));
  const most = typeof flat.maxItems === "number" ? flat.maxItems : maxItems;
  if (least > maxItems || least > most) return undefined;
  const schemaAt = (index: number) => (index < prefix.length ? prefix[index] : element);
  const slot = field.text === undefined ? -1 : bestSlot(task, [...prefix, element], field.name);
  const values: unknown[] = [];
  for (let index = 0; index < Math.min(most, Math.max(least, slot + 1)); index += 1) {
    const nth = flat.uniqueItems === true ? index : field.nth;
    const inner = { name: field.name, text: index === slot ? field.text : undefined, nth };
    const filled = fill(task, schemaAt(index), inner) ?? fill(task, schemaAt(index), { ...inner, text: undefined });
    if (filled === undefined) return index >= least ? { value: values } : undefined;
    values.push(filled.value);
  }
  return { value: values };
}

function countIn(value: unknown): number {
  return typeof value === "number" ? Math.ceil(value) : 0;
}

function bestSlot(task: Task, elements: readonly unknown[], name: string): number {
  const scores = elements.map((schema) => fitness(task.root, schema, name, task.cost));
  const best = scores.reduce((one, other) => Math.max(one, other), 0);
  return best > 0 ? scores.indexOf(best) : -1;
}

function fillObject(task: Task, flat: JsonObject, field: Field): Filled {
  const properties = objectIn(flat.properties);
  const required = new Set(arrayIn(flat.required).filter((name) => typeof name === "string"));
  const members = new Map<string, unknown>();
  const put = (name: string, text: string | undefined): boolean => {
    const filled = fill(task, memberSchema(flat, properties, name), { name, text, nth: field.nth });
    if (filled !== undefined) members.set(name, filled.value);
    return filled !== undefined;
  };
  if (field.text !== undefined) {
    const text = field.text;
    // `some` stops at the first field that takes the text.
    carriers(task.root, flat, task.cost).some((name) => put(name, text));
  }
  for (const name of required) if (!members.has(name) && !put(name, undefined)) return undefined;
  for (const [name, schema] of Object.entries(properties)) {
    const saysHow = isObject(schema) && schema.type === "boolean" && booleanMeaning(name, task.ended) !== undefined;
    if (saysHow && !members.has(name)) put(name, undefined);
  }
  const least = countIn(flat.minProperties);
  if (least > maxItems) return undefined;
  const spare = [...Object.keys(properties), ...Array.from({ length: least }, (_, index) => `field${index + 1}`)];
  for (const name of spare) if (members.size < least && !members.has(name)) put(name, undefined);
  const most = typeof flat.maxProperties === "number" ? flat.maxProperties : Number.POSITIVE_INFINITY;
  const surplus = [...members.keys()].filter((name) => !required.has(name)).slice(0, Math.max(0, members.size - most));
  for (const name of surplus) members.delete(name);
  return { value: Object.fromEntries(inDeclaredOrder(members, properties)) };
}

function memberSchema(flat: JsonObject, properties: JsonObject, name: string): unknown {
  return Object.hasOwn(properties, name) ? properties[name] : (flat.additionalProperties ?? {});
}

/** Thoughts before conclusions, as the schema's author wanted them read. */
function inDeclaredOrder(members: ReadonlyMap<string, unknown>, properties: JsonObject): readonly [string, unknown][] {
  const declared = Object.keys(properties).filter((name) => members.has(name));
  const others = [...members.keys()].filter((name) => !Object.hasOwn(properties, name));
  return [...declared, ...others].map((name) => [name, members.get(name)]);
}
