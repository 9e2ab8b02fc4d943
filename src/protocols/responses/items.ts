import type { Call, Outcome, Tool } from "../../step.ts";
import { arrayIn, isObject, type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import { cutText, joinTexts } from "../../text/text-span.ts";
import { likeness } from "../likeness.ts";

/** One assistant turn in a list of items: the items that the model made, then what came back and was said to it. By index. */
interface Turn {
  readonly ownItems: readonly number[];
  /** Results and user messages, until the model speaks again. */
  readonly behind: readonly number[];
}

/** A list of items, cut into turns. */
export interface Turns {
  /** What stands before the first turn. Where a request goes on from an earlier answer, it belongs to that. */
  readonly before: readonly number[];
  readonly turns: readonly Turn[];
}

const MADE: ReadonlySet<ItemKind> = new Set(["said", "thought", "call", "reference"]);
/** Kinds that may be nothing but a thought. */
const UNCERTAIN: ReadonlySet<ItemKind> = new Set(["thought", "reference"]);

/**
 * A turn begins where the model makes something after a result or a user's message. What was only thought is no turn; what is
 * only referred to is one if a result comes back for it.
 */
export function turnsIn(items: readonly unknown[]): Turns {
  const before: number[] = [];
  const turns: { ownItems: number[]; behind: number[] }[] = [];
  let latest: { ownItems: number[]; behind: number[]; acts: boolean } | undefined;
  const act = (turn: typeof latest) => {
    if (turn === undefined || turn.acts) return;
    turn.acts = true;
    turns.push(turn);
  };
  for (const [index, item] of items.entries()) {
    const kind = kindOf(item);
    if (MADE.has(kind)) {
      if (latest === undefined || latest.behind.length > 0) latest = { ownItems: [], behind: [], acts: false };
      latest.ownItems.push(index);
      if (!UNCERTAIN.has(kind)) act(latest);
    } else if (kind === "result" || kind === "user") {
      const isOfReference = kind === "result" && latest?.ownItems.some((own) => kindOf(items[own]) === "reference");
      if (isOfReference === true) act(latest);
      (turns.at(-1)?.behind ?? before).push(index);
    }
  }
  return { before, turns };
}

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

/** Parts joined by line breaks, whatever is not text as a short mark. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return cutText(content);
  if (Array.isArray(content)) return joinTexts(content.map(partText));
  return content === null || content === undefined ? "" : cutText(partText(content));
}

function partText(part: unknown): string {
  if (part === null) return "";
  if (!isObject(part)) return stringIn(part) ?? jsonText(part) ?? "";
  switch (part.type) {
    case "input_image":
    case "computer_screenshot":
    case "image":
      return `[image${likeness(stringIn(part.image_url) ?? stringIn(part.file_id))}]`;
    case "input_audio":
      return `[audio${likeness(stringIn(objectIn(part.input_audio).data) ?? stringIn(part.data))}]`;
    case "input_file":
      return `[file${likeness(fileMark(part))}]`;
    default:
      return stringIn(part.text) ?? stringIn(part.refusal) ?? jsonText(part) ?? "";
  }
}

function fileMark({ file_id, file_url, file_data, filename }: JsonObject): string | undefined {
  return stringIn(file_id) ?? stringIn(file_url) ?? stringIn(file_data) ?? stringIn(filename);
}

/** A tool that the model may call by name, and where it stands in the request. */
export interface NumberedTool extends Tool {
  readonly description?: string;
  readonly form: "function" | "custom";
  readonly namespace: string | undefined;
  /** Its own name, within its namespace. */
  readonly ownName: string;
  /** Index in the request's list of it, or of its namespace. */
  readonly at: number;
  /** Index in its namespace. */
  readonly within: number | undefined;
}

/** Functions, custom tools, and those in namespaces. What the provider runs itself goes by no name. */
export function listedTools(tools: unknown): readonly NumberedTool[] {
  return arrayIn(tools).flatMap((tool, at) => {
    if (!isObject(tool)) return [];
    if (tool.type !== "namespace") return numberedTool(tool, undefined, at, undefined);
    const namespace = nonEmpty(tool.name);
    return arrayIn(tool.tools).flatMap((inner, within) =>
      isObject(inner) ? numberedTool(inner, namespace, at, within) : [],
    );
  });
}

function numberedTool(
  tool: JsonObject,
  namespace: string | undefined,
  at: number,
  within: number | undefined,
): readonly NumberedTool[] {
  const ownName = nonEmpty(tool.name);
  const { type: form } = tool;
  if (ownName === undefined || (form !== "function" && form !== "custom")) return [];
  const described = typeof tool.description === "string" ? { description: tool.description } : {};
  const named = { name: qualified(ownName, namespace), ...described, form, namespace, ownName, at, within } as const;
  const { parameters: schema } = tool;
  return [schema === undefined || schema === null ? named : { ...named, schema }];
}
