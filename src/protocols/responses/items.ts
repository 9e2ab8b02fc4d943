import type { Call, Outcome } from "../../step.ts";
import { contentText } from "./content.ts";
import { arrayIn, isObject, type JsonObject, jsonText, objectIn, stringIn, nonEmpty } from "../json/json.ts";

/**
 * What an item of a request's input or of an answer's output is. `reference`: the id of an item that the API keeps, mostly of one
 * that the model made; `other`: nothing that takes part in a run.
 */
export type ItemKind = "instruction" | "user" | "said" | "thought" | "call" | "result" | "reference" | "other";

const roles: ReadonlyMap<unknown, ItemKind> = new Map([
  ["system", "instruction"],
  ["developer", "instruction"],
  ["user", "user"],
  ["assistant", "said"],
]);

/** Of any JSON at all: new types of calls and results keep to the pattern of the old ones. */
export function kindOf(item: unknown): ItemKind {
  if (!isObject(item)) return "other";
  const type = stringIn(item.type) ?? (item.role === undefined ? "item_reference" : "message");
  if (type === "item_reference") return nonEmpty(item.id) === undefined ? "other" : "reference";
  if (type === "message") return roles.get(item.role) ?? "other";
  if (type === "reasoning") return "thought";
  if (type.endsWith("_call")) return "call";
  return type.endsWith("_output") ? "result" : "other";
}

/** The items of a request's input; a text alone is one user message. */
export function itemsOf(input: unknown): readonly unknown[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  return Array.isArray(input) ? input : [];
}

/** A call, with its outcome where the provider ran the tool itself. */
export function callOf(item: JsonObject): Call {
  const id = nonEmpty(item.call_id) ?? nonEmpty(item.id);
  const [tool, args] = [toolIn(item), argumentsIn(item)];
  const call: Call = id === undefined ? { tool, args } : { id, tool, args };
  const outcome = ownOutcome(item);
  return outcome === undefined ? call : { outcome, ...call };
}

/** Tools of one name in two namespaces are two tools. */
export function qualified(name: string, namespace: unknown): string {
  return nonEmpty(namespace) === undefined ? name : `${String(namespace)}.${name}`;
}

function toolIn(item: JsonObject): string {
  const name = nonEmpty(item.name);
  if (name !== undefined) return qualified(name, item.namespace ?? item.server_label);
  return (stringIn(item.type) ?? "").replace(/_call$/, "");
}

/** Members of a call that do not say what it does. */
const BESIDES = new Set(
  "type id call_id status name namespace server_label server_name created_by container_id pending_safety_checks execution environment approval_request_id caller".split(
    " ",
  ),
);
/** Members of a call that say what came of it. */
const OUTCOMES = ["output", "outputs", "results", "result", "error"];

function argumentsIn(item: JsonObject): string {
  const input = item.arguments ?? item.input;
  if (typeof input === "string") return input;
  if (input !== undefined && input !== null) return jsonText(input) ?? "";
  const members = Object.entries(item).filter(([key]) => !BESIDES.has(key) && !OUTCOMES.includes(key));
  const [only] = members;
  return (
    (members.length === 1 && isObject(only?.[1]) ? jsonText(only[1]) : jsonText(Object.fromEntries(members))) ?? ""
  );
}

/** Tools that the provider runs are answered within the same answer; all others by an item of the next request. */
const OWN = /^(web_search|file_search|code_interpreter|image_generation|mcp)_/;

function ownOutcome(item: JsonObject): Outcome | undefined {
  const isOwn = OWN.test(stringIn(item.type) ?? "") || item.execution === "server";
  if (!isOwn || item.status === "in_progress") return undefined;
  const parts = OUTCOMES.flatMap((key) => (item[key] === undefined || item[key] === null ? [] : [item[key]]));
  const text = parts.map(contentText).join("\n");
  const failed = item.status === "failed" || (item.error !== undefined && item.error !== null);
  return failed ? { text, failed } : { text };
}

/** What came back for a call. */
export function outcomeOf(item: JsonObject): Outcome {
  const text = contentText(item.output ?? item.tools ?? "");
  return item.status === "failed" || arrayIn(item.output).some(hasFailed) ? { text, failed: true } : { text };
}

/** One command of a shell call. */
function hasFailed(command: unknown): boolean {
  const { type, exit_code: code } = objectIn(objectIn(command).outcome);
  return type === "timeout" || (typeof code === "number" && code !== 0);
}
