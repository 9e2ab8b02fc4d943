import type { Call } from "../../step.ts";
import { arrayIn, isObject, type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { ParsedRequest } from "../protocol.ts";
import { isEndFlag, isThoughtField, referenced } from "../schema-fill/schema-fill.ts";

/** The schema of an output that carries the agent's actions, and how such an output ends the run. */
export interface ActionCarrier {
  /** Where the schema of one action stands, below `properties`. */
  readonly path: readonly string[];
  /** That schema once only the last action is allowed; undefined where an empty list and a flag end it. */
  readonly last: JsonObject | undefined;
}

/** @param done the name of the action that ends the run; undefined if a schema has none that is known */
export function carrierOf(schema: unknown, done: string | undefined): ActionCarrier | undefined {
  const properties = objectIn(objectIn(schema).properties);
  for (const list of ["action", "actions"] as const) {
    const member = own(properties, list);
    const items = objectIn(resolved(schema, objectIn(resolved(schema, member)).items));
    const last = done === undefined ? undefined : actionNamed(schema, items, done);
    if (last !== undefined) return { path: [list, "items"], last };
    if (endsByFlag(properties, list, items)) return { path: [list, "items"], last: undefined };
  }
  for (const { path, branches } of done === undefined ? [] : namedUnions(schema)) {
    const branch = branches.get(done ?? "");
    const last = branch && writable(branch);
    if (last !== undefined) return { path, last };
  }
  return undefined;
}

/** The call that an output is, whose schema has all actions as one union: a member has the name of one. */
export function carriedCall(schema: unknown, output: unknown): Call | undefined {
  for (const { path, branches } of namedUnions(schema)) {
    const value = path.reduce<unknown>((at, key) => (key === "items" ? arrayIn(at)[0] : objectIn(at)[key]), output);
    const [key, tool] = Object.entries(objectIn(value)).find(([, name]) => branches.has(String(name))) ?? [];
    if (key === undefined) continue;
    const { [key]: _, ...rest } = objectIn(value);
    const [only, ...more] = Object.values(rest);
    return { tool: String(tool), args: jsonText(more.length === 0 && isObject(only) ? only : rest) ?? "{}" };
  }
  return undefined;
}

interface NamedUnion {
  readonly path: readonly string[];
  /** By the name that a member of each has for constant. */
  readonly branches: ReadonlyMap<string, JsonObject>;
}

/** Unions of objects that are told apart by a constant name, among the members of a schema and in lists there. */
function namedUnions(schema: unknown): readonly NamedUnion[] {
  return Object.entries(objectIn(objectIn(schema).properties)).flatMap(([name, member]) => {
    const own = objectIn(resolved(schema, member));
    const places = [
      { path: [name], union: own },
      { path: [name, "items"], union: objectIn(resolved(schema, own.items)) },
    ];
    return places.flatMap(({ path, union }) => {
      const branches = [...arrayIn(union.anyOf), ...arrayIn(union.oneOf)].map((one) => objectIn(resolved(schema, one)));
      for (const key of branches.length < 2 ? [] : Object.keys(objectIn(branches[0]?.properties))) {
        const named = byConstant(branches, key);
        if (named !== undefined) return [{ path, branches: named }];
      }
      return [];
    });
  });
}

/** Undefined at the first branch without a name of its own there. */
function byConstant(branches: readonly JsonObject[], key: string): ReadonlyMap<string, JsonObject> | undefined {
  const named = new Map<string, JsonObject>();
  for (const branch of branches) {
    const { const: constant, enum: values } = objectIn(own(objectIn(branch.properties), key));
    const name = nonEmpty(constant) ?? (arrayIn(values).length === 1 ? nonEmpty(arrayIn(values)[0]) : undefined);
    if (name === undefined || named.has(name)) return undefined;
    named.set(name, branch);
  }
  return named;
}

/** Whether the request offers an action of this name within a tool or the answer itself. */
export function offersAction({ tools, format }: ParsedRequest, name: string): boolean {
  if (format.kind === "dialect" && format.dialect.lastAction(format.sample) === name) return true;
  const schemas = [...tools.map((tool) => tool.schema), ...(format.kind === "schema" ? [format.schema] : [])];
  return schemas.some((schema) => carrierOf(schema, name)?.last !== undefined);
}

/** The schema with no other action than the last. */
export function narrowed(schema: unknown, { path, last }: ActionCarrier): unknown {
  if (last === undefined) return schema;
  const [name = "", inner] = path;
  const { properties, ...rest } = objectIn(schema);
  const member = own(objectIn(properties), name);
  if (inner === undefined) return { ...rest, properties: { ...objectIn(properties), [name]: last } };
  if (!isObject(member) || member.$ref !== undefined) return schema;
  return { ...rest, properties: { ...objectIn(properties), [name]: { ...member, [inner]: last } } };
}

/** Of a union of single-key objects the one with this key; of an object with every action as an optional member that member alone. */
function actionNamed(root: unknown, items: JsonObject, name: string): JsonObject | undefined {
  const offers = (branch: unknown) => own(objectIn(objectIn(resolved(root, branch)).properties), name) !== undefined;
  const branch = [...arrayIn(items.anyOf), ...arrayIn(items.oneOf)].find(offers);
  if (isObject(branch)) return writable(branch);
  const member = own(objectIn(items.properties), name);
  if (member === undefined) return undefined;
  return writable({
    type: "object",
    properties: { [name]: withoutNull(member) },
    required: [name],
    additionalProperties: false,
  });
}

/** Undefined for what is nested too deep to be written again. */
function writable(schema: JsonObject): JsonObject | undefined {
  return jsonText(schema) === undefined ? undefined : schema;
}

function withoutNull(member: unknown): unknown {
  const branches = arrayIn(objectIn(member).anyOf).filter((branch) => objectIn(branch).type !== "null");
  return branches.length === 1 ? branches[0] : member;
}

/** Web agents name each action in a field, say why beside the list, and stop at a flag that says so. */
function endsByFlag(properties: JsonObject, name: string, items: JsonObject): boolean {
  const { [name]: list, ...besides } = properties;
  const mayBeEmpty = !(Number(objectIn(list).minItems) > 0);
  const flags = Object.entries(besides).filter(
    ([key, schema]) => isEndFlag(key) && objectIn(schema).type === "boolean",
  );
  const namesActions = isObject(own(objectIn(items.properties), "action"));
  return mayBeEmpty && namesActions && flags.length > 0 && Object.keys(besides).every(isThoughtField);
}

const maxReferences = 8;

function resolved(root: unknown, schema: unknown): unknown {
  let node = schema;
  for (let count = 0; count < maxReferences && isObject(node) && node.$ref !== undefined; count += 1) {
    node = referenced(root, stringIn(node.$ref) ?? "");
  }
  return node;
}

function own(members: JsonObject, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
