import { isObject, type JsonObject, objectIn } from "../json/json.ts";
import { accepts } from "./accepts.ts";
import { booleanMeaning, isNeutralWord } from "./field-meaning.ts";
import { mergeBudget, flatten, type MergeBudget } from "./merge.ts";
import { typesOf } from "./text-fields.ts";

/**
 * Whether a filled value states a decision that was never made: "approve", a plain yes, a number other than nought.
 * Such a value must not go to a person as the outcome of a run that was stopped.
 * @param isTold one of its fields says that the run was stopped
 */
export function decides(schema: unknown, value: unknown, isTold: boolean): boolean {
  return decidesAt({ root: schema, cost: mergeBudget(20_000, 64), isTold }, schema, value, "");
}

interface Look {
  readonly root: unknown;
  readonly cost: MergeBudget;
  readonly isTold: boolean;
}

function decidesAt(look: Look, schema: unknown, value: unknown, name: string): boolean {
  const decision = look.cost.within(() => {
    const flat = flatten(look.root, schema, look.cost);
    if (flat === undefined) return false;
    const { anyOf, ...common } = flat;
    if (!Array.isArray(anyOf)) return decidesFlat(look, flat, value, name);
    const branch = anyOf.find((one) => accepts(look.root, { allOf: [common, one] }, value, look.cost));
    return decidesAt(look, { allOf: [common, branch ?? {}] }, value, name);
  });
  return decision ?? false;
}

function decidesFlat(look: Look, flat: JsonObject, value: unknown, name: string): boolean {
  if (flat.default !== undefined && flat.default === value) return false;
  if (Array.isArray(flat.enum) && flat.enum.length > 1) return value !== null && !isKnown(value, name);
  if (flat.const !== undefined || (Array.isArray(flat.enum) && flat.enum.length === 1)) return false;
  if (typeof value === "boolean") return booleanMeaning(name, "badly") === undefined;
  if (typeof value === "number") return value !== 0 || !look.isTold;
  if (typeof value === "string")
    return value !== "" && (flat.format !== undefined || flat.pattern !== undefined) && !look.isTold;
  if (Array.isArray(value)) return value.some((one) => decidesAt(look, objectIn(flat).items ?? {}, one, name));
  if (!isObject(value) || !typesOf(flat).includes("object")) return false;
  const properties = objectIn(flat.properties);
  return Object.entries(value).some(
    ([key, member]) => Object.hasOwn(properties, key) && decidesAt(look, properties[key], member, key),
  );
}

/** It says that the run did not end well, or nothing at all. */
function isKnown(value: unknown, name: string): boolean {
  if (typeof value === "boolean") return booleanMeaning(name, "badly") === value;
  return typeof value === "string" && (isNeutralWord(value) || meansNo(value, name));
}

function meansNo(value: string, name: string): boolean {
  const meaning = booleanMeaning(name, "badly");
  return meaning !== undefined && (meaning ? /^(yes|y|true)$/i : /^(no|n|false)$/i).test(value);
}
