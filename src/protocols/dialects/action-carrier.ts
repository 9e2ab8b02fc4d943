import { arrayIn, isObject, type JsonObject, jsonText, objectIn, stringIn } from "../json/json.ts";
import type { ParsedRequest } from "../protocol.ts";
import { isEndFlag, isThoughtField, referenced } from "../schema-fill/schema-fill.ts";

/** The schema of an output that carries all of an agent's actions in one list, and how such an output ends the run. */
export interface ActionCarrier {
  /** The member that has the list. */
  readonly list: "action" | "actions";
  /** The schema of its elements once only the last action is allowed; undefined where an empty list and a flag end it. */
  readonly items: JsonObject | undefined;
}

/** @param done the name of the action that ends the run; undefined if a schema has none that is known */
export function carrierOf(schema: unknown, done: string | undefined): ActionCarrier | undefined {
  const properties = objectIn(objectIn(schema).properties);
  for (const list of ["action", "actions"] as const) {
    const member = own(properties, list);
    const items = objectIn(resolved(schema, objectIn(resolved(schema, member)).items));
    const last = done === undefined ? undefined : actionNamed(schema, items, done);
    if (last !== undefined) return { list, items: last };
    if (endsByFlag(properties, list, items)) return { list, items: undefined };
  }
  return undefined;
}

/** Whether the request offers the tool of this name, or an action of this name within another tool or the answer itself. */
export function offersDone({ tools, format }: ParsedRequest, name: string): boolean {
  if (tools.some((tool) => tool.name === name)) return true;
  if (format.kind === "dialect" && format.dialect.lastAction(format.sample) === name) return true;
  const schemas = [...tools.map((tool) => tool.schema), ...(format.kind === "schema" ? [format.schema] : [])];
  return schemas.some((schema) => carrierOf(schema, name)?.items !== undefined);
}

/** The schema with no other action than the last. */
export function narrowed(schema: unknown, { list, items }: ActionCarrier): unknown {
  const properties = objectIn(objectIn(schema).properties);
  const member = own(properties, list);
  if (items === undefined || !isObject(member) || member.$ref !== undefined) return schema;
  return { ...objectIn(schema), properties: { ...properties, [list]: { ...member, items } } };
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
