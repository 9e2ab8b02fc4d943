import type { Call, Outcome } from "../../step.ts";
import { type Json, arrayIn, isObject, type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import { contentText } from "../requests.ts";

/** Begins the ids of items that the guard has made itself: the API keeps none of them, so that it must not be referred to one. */
export const OWN_ITEM = "unloop_";

/** `reference`: the id of an item that the API keeps, mostly of one that the model made; `other`: nothing that takes part in a run. */
export type ItemKind = "instruction" | "user" | "said" | "thought" | "call" | "result" | "reference" | "other";

const roles: ReadonlyMap<unknown, ItemKind> = new Map([
  ["system", "instruction"],
  ["developer", "instruction"],
  ["user", "user"],
  ["assistant", "said"],
]);

export function kindOf(item: Json): ItemKind {
  if (!isObject(item)) return "other";
  const type = stringIn(item.type) ?? (item.role === undefined ? "item_reference" : "message");
  if (type === "item_reference") return nonEmpty(item.id) === undefined ? "other" : "reference";
  if (type === "message") return roles.get(item.role) ?? "other";
  if (type === "reasoning") return "thought";
  if (type.endsWith("_call")) return "call";
  return type.endsWith("_output") ? "result" : "other";
}

export function itemsOf({ input }: JsonObject): readonly Json[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : arrayIn(input);
}

type Turn = { readonly ownItems: number[]; readonly behind: number[] };

const MADE: ReadonlySet<ItemKind> = new Set(["said", "thought", "call", "reference"]);

/** A turn begins where the model makes something after a result or a message. What is only referred to is one if a result comes back. */
export function turnsIn(items: readonly Json[]): {
  readonly before: readonly number[];
  readonly turns: readonly Turn[];
} {
  const before: number[] = [];
  const turns: Turn[] = [];
  let latest: Turn | undefined;
  const act = (turn: Turn | undefined) => {
    if (turn !== undefined && turns.at(-1) !== turn) turns.push(turn);
  };
  for (const [index, item] of items.entries()) {
    const kind = kindOf(item);
    if (MADE.has(kind)) {
      if (latest === undefined || latest.behind.length > 0) latest = { ownItems: [], behind: [] };
      latest.ownItems.push(index);
      if (kind === "said" || kind === "call") act(latest);
    } else if (kind === "result" || kind === "user") {
      if (kind === "result" && latest?.ownItems.some((own) => kindOf(items[own]) === "reference")) act(latest);
      (turns.at(-1)?.behind ?? before).push(index);
    }
  }
  return { before, turns };
}

export const idOf = (item: JsonObject) => nonEmpty(item.call_id) ?? nonEmpty(item.id);

export function callOf(item: JsonObject): Call {
  const [id, name, args] = [idOf(item), nonEmpty(item.name), argumentsIn(item)];
  const kind = (stringIn(item.type) ?? "").replace(/_call$/, "");
  const tool = name === undefined ? kind : qualified(name, item.namespace ?? item.server_label);
  const call: Call = id === undefined ? { tool, args } : { id, tool, args };
  const outcome = hostedOutcome(item);
  return outcome === undefined ? call : { outcome, ...call };
}

export function qualified(name: string, namespace: Json): string {
  return nonEmpty(namespace) === undefined ? name : `${String(namespace)}.${name}`;
}

const BESIDES =
  /^(type|id|call_id|status|name|namespace|server_(label|name)|created_by|container_id|pending_safety_checks|execution|environment|approval_request_id|caller)$/;
const OUTCOMES = ["output", "outputs", "results", "result", "error"];

function argumentsIn(item: JsonObject): string {
  const input = item.arguments ?? item.input;
  if (typeof input === "string") return input;
  if (input !== undefined && input !== null) return jsonText(input) ?? "";
  const members = Object.entries(item).filter(([key]) => !BESIDES.test(key) && !OUTCOMES.includes(key));
  const [only] = members;
  const isAlone = members.length === 1 && isObject(only?.[1]);
  return jsonText(isAlone ? only?.[1] : Object.fromEntries(members)) ?? "";
}

/** Tools that the provider runs are answered within the same answer; all others by an item of the next request. */
const HOSTED = /^(web_search|file_search|code_interpreter|image_generation|mcp)_/;

export function isHosted({ type, execution }: JsonObject): boolean {
  return HOSTED.test(stringIn(type) ?? "") || execution === "server";
}

function hostedOutcome(item: JsonObject): Outcome | undefined {
  if (!isHosted(item) || item.status === "in_progress") return undefined;
  const parts = OUTCOMES.flatMap((key) => (item[key] === undefined || item[key] === null ? [] : [item[key]]));
  const text = parts.map(contentText).join("\n");
  const failed = item.status === "failed" || (item.error !== undefined && item.error !== null);
  return failed ? { text, failed } : { text };
}

export function outcomeOf(item: JsonObject): Outcome {
  const text = contentText(item.output ?? item.tools ?? "");
  const hasFailed = arrayIn(item.output).some((command) => {
    const { type, exit_code: code } = objectIn(objectIn(command).outcome);
    return type === "timeout" || (typeof code === "number" && code !== 0);
  });
  return item.status === "failed" || hasFailed ? { text, failed: true } : { text };
}
