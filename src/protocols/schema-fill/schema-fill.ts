import type { Work } from "../../work.ts";
import { type Json, isObject, arrayIn, type JsonObject, jsonText } from "../json/json.ts";
import { bestWord, booleanMeaning, type Ended, filledString, isDoneName, isKnownWord, nearNumbers } from "./fields.ts";
import { elementSchema, memberSchema } from "./is-valid.ts";
import { namedValues, namesIn, type ReadSchema, readSchema, said, typesOf } from "./schema.ts";

export { type Ended, isEndFlag, isThoughtField } from "./fields.ts";
export { referenced } from "./schema.ts";

export function fillSchema(schema: Json, text: string, ended: Ended, work: Work): Json {
  return bestValue(schema, text, ended, work)?.value;
}

/** Undefined, too, where the run ended badly and each value would state a decision that was never made: "approve", a plain yes, a number. */
export function honestJson(schema: Json, text: string, ended: Ended, work: Work): string | undefined {
  const best = bestValue(schema, text, ended, work);
  const states = best?.states === "decision" || (best?.states === "something" && !best.isTold);
  return states && ended === "badly" ? undefined : jsonText(best?.value);
}

export function satisfies(schema: Json, value: Json, work: Work): boolean {
  if (value === undefined) return false;
  try {
    const read = readSchema(schema, work);
    return read.accepts([read.root], value);
  } catch {
    return false;
  }
}

/** Undefined, too, where it takes more work than an answer is worth. */
function bestValue(source: Json, text: string, ended: Ended, work: Work) {
  try {
    const schema = readSchema(source, work);
    const filled = fill({ schema, text, ended }, [schema.root], { name: "", path: [] });
    const value = [filled?.told, filled].find((one) => one !== undefined && schema.accepts([schema.root], one.value));
    return value && { ...value, isTold: value === filled?.told };
  } catch {
    return undefined;
  }
}

type Task = { readonly schema: ReadSchema; readonly text: string; readonly ended: Ended };

interface Field {
  readonly name: string;
  /** The schemas around it: within itself none has a finite value. */
  readonly path: readonly JsonObject[];
}

interface OpenField extends Field {
  readonly schemas: readonly Json[];
  readonly nodes: readonly JsonObject[];
}

interface Value {
  readonly value: Json;
  /** What it says beside the text; "something" is a decision only where the text stands nowhere. */
  readonly states?: "something" | "decision" | undefined;
}

interface Filled extends Value {
  /** The same with the text in it, and how well that stands there; undefined where it has no place. */
  readonly told?: (Value & { readonly fitness: number }) | undefined;
}

/** A value of which all of these schemas are true: branch by branch, the first that they accept. */
function fill(task: Task, schemas: readonly Json[], field: Field, taken: readonly Json[] = []): Filled | undefined {
  task.schema.spend(200);
  const demand = task.schema.demandOf(schemas);
  if (demand === undefined || demand.nodes.some((node) => field.path.includes(node))) return undefined;
  const union = demand.unions.find((one) => !taken.includes(one));
  if (union === undefined) return fillPlain(task, { ...field, schemas, nodes: demand.nodes });
  const branches = union.flatMap((branch) => fill(task, [...schemas, branch], field, [...taken, union]) ?? []);
  const accepted = <One extends Value>(values: readonly One[], rank: (one: One) => number) =>
    values.toSorted((one, other) => rank(other) - rank(one)).find(({ value }) => task.schema.accepts(schemas, value));
  const plain = accepted(branches, ({ value }) => (value === null ? 2 : endsRun(value) ? 1 : 0));
  const told = accepted(
    branches.flatMap((one) => one.told ?? []),
    ({ fitness }) => fitness,
  );
  return plain && { ...plain, told };
}

const endsRun = (value: Json): boolean => isObject(value) && Object.keys(value).some(isDoneName);

function fillPlain(task: Task, field: OpenField): Filled | undefined {
  const { schema, ended } = task;
  const { schemas, nodes } = field;
  const preset = said(nodes, "default");
  const values = namedValues(nodes);
  if (values !== undefined) {
    const value = [bestWord(values, field.name, ended), ...values.slice(0, 8)].find((one) =>
      schema.accepts(schemas, one),
    );
    const isOpen = values.length > 1 && value !== null && value !== preset && !isKnownWord(value, field.name);
    return value === undefined ? undefined : { value, states: isOpen ? "decision" : undefined };
  }
  const types = typesOf(nodes);
  schema.spend(types.length * (100 + task.text.length / 8));
  const byType = new Map(types.map((type) => [type, fillType(task, type, field)]));
  const first = (order: readonly string[]) =>
    [...order, ...types].map((type) => byType.get(type)).find((one) => one !== undefined);
  const told = ["string", "object", "array"].map((type) => byType.get(type)?.told).find((one) => one !== undefined);
  const isMeaningful = types.includes("boolean") && booleanMeaning(field.name, ended) !== undefined;
  const isPreset = preset !== undefined && !isMeaningful && schema.accepts(schemas, preset);
  const plain = isPreset ? { value: preset } : first(["null", "boolean", "string"]);
  return plain && { ...plain, told };
}

function fillType(task: Task, type: string, field: OpenField): Filled | undefined {
  const { schema, text, ended } = task;
  const { schemas, nodes } = field;
  if (type === "object") return fillObject(task, field);
  if (type === "array") return fillArray(task, field);
  if (type === "null") return { value: null };
  if (type === "boolean") {
    const meant = booleanMeaning(field.name, ended);
    return { value: meant ?? false, states: meant === undefined ? "decision" : undefined };
  }
  if (type === "string") {
    const { value, isFree, fitness } = filledString(nodes, "", field.name);
    if (value === undefined) return undefined;
    if (!isFree) return { value, states: value === "" ? undefined : "something" };
    const words = filledString(nodes, text, field.name).value;
    return { value, told: words ? { value: words, fitness } : undefined };
  }
  const value = nearNumbers(nodes).find((one) => schema.accepts(schemas, one));
  return value === undefined ? undefined : { value, states: value === 0 ? "something" : "decision" };
}

const MAX_ITEMS = 100;

function fillArray(task: Task, { name, path, nodes }: OpenField): Filled | undefined {
  const least = Number(said(nodes, "minItems") ?? 0);
  const most = Math.min(Number(said(nodes, "maxItems") ?? MAX_ITEMS), MAX_ITEMS);
  if (least > most) return undefined;
  const parts: Filled[] = [];
  for (let index = 0; index < Math.min(least + 1, most); index += 1) {
    const schemas = nodes.map((node) => elementSchema(node, index));
    const part = fill(task, schemas, { name, path: [...path, ...nodes] });
    if (part === undefined && index < least) return undefined;
    if (part !== undefined) parts.push(part);
  }
  const at = parts.findIndex(({ told }) => told !== undefined);
  const told = parts[at]?.told;
  const whole = (values: readonly Value[]) => ({ value: values.map(({ value }) => value), states: statesOf(values) });
  const plain = parts.slice(0, least);
  return {
    ...whole(plain),
    told: told && { ...whole([...plain.slice(0, at), told, ...plain.slice(at + 1)]), fitness: told.fitness - 2 },
  };
}

const FREE_MEMBER = "message";

function fillObject(task: Task, { path, nodes }: OpenField): Filled | undefined {
  const required = new Set(nodes.flatMap((node) => arrayIn(node.required)).map(String));
  const free = said(nodes, "properties") === undefined ? [FREE_MEMBER] : [];
  // Thoughts before conclusions, as the schema's author wanted them read.
  const names = new Set([...namesIn(nodes), ...required, ...free]);
  const [plain, told] = [new Map<string, Value>(), new Map<string, NonNullable<Filled["told"]>>()];
  for (const name of names) {
    const schemas = nodes.map((node) => memberSchema(node, name));
    const filled = fill(task, schemas, { name, path: [...path, ...nodes] });
    if (filled === undefined && required.has(name)) return undefined;
    const saysHow = typeof filled?.value === "boolean" && booleanMeaning(name, task.ended) !== undefined;
    if (filled !== undefined && (required.has(name) || saysHow)) plain.set(name, filled);
    if (filled?.told !== undefined) told.set(name, filled.told);
  }
  const whole = (values: ReadonlyMap<string, Value>) => {
    const order = [...names].filter((name) => values.has(name));
    const value = Object.fromEntries(order.map((name) => [name, values.get(name)?.value]));
    return { value, states: statesOf([...values.values()]) };
  };
  const fitnessOf = (name: string) => (told.get(name)?.fitness ?? 0) + (required.has(name) ? 3 : 0);
  const [best = ""] = [...told.keys()].toSorted((one, other) => fitnessOf(other) - fitnessOf(one));
  const value = told.get(best);
  if (value === undefined) return whole(plain);
  const fitness = value.fitness + (isDoneName(best) ? 39 : -1);
  return { ...whole(plain), told: { ...whole(new Map([...plain, [best, value]])), fitness } };
}

function statesOf(parts: readonly Value[]): Value["states"] {
  return (["decision", "something"] as const).find((one) => parts.some(({ states }) => states === one));
}
