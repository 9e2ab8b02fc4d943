import type { Call } from "../step.ts";
import { isThought } from "./field-meaning.ts";
import { isObject, type JsonObject, jsonText, parseJson } from "./json.ts";
import { reactActions } from "./react-text.ts";

/** What an assistant that writes its actions as text wanted done, and what it said beside that. */
export interface SpokenActions {
  readonly calls: readonly Call[];
  readonly text: string;
}

/** The actions that an assistant's text holds, as JSON or as ReAct lines; undefined for ordinary prose. */
export function spokenActions(text: string): SpokenActions | undefined {
  const object = actionObject(text);
  return object === undefined ? reactActions(text) : jsonActions(object);
}

/** The object that the text is, bare or in one code fence, if it has actions in it. */
export function actionObject(text: string): JsonObject | undefined {
  const json = bareJson(text);
  // A look for the key spares the parser all other JSON that assistants write.
  if (json === undefined || !json.includes('"action')) return undefined;
  const parsed = parseJson(json);
  return isObject(parsed) && callsIn(parsed).length > 0 ? parsed : undefined;
}

/**
 * The actions that a call only carries, as where an agent offers one tool for all it does. Undefined where its arguments
 * say anything else beside thoughts, for then the call is the action.
 */
export function carriedActions(args: string): SpokenActions | undefined {
  const object = args.includes('"action') ? parseJson(args) : undefined;
  if (!isObject(object)) return undefined;
  const list = listIn(object);
  if (list === undefined || list.length === 0 || list.some((element) => callsOf(element).length !== 1))
    return undefined;
  const besides = Object.keys(object).filter((key) => key !== "action" && key !== "actions");
  return besides.every(isThought) ? jsonActions(object) : undefined;
}

function bareJson(text: string): string | undefined {
  const start = text.search(/\S/);
  if (text.startsWith("{", start)) return text;
  if (!text.startsWith("```", start)) return undefined;
  const open = text.indexOf("\n", start);
  const close = text.lastIndexOf("```");
  return open > 0 && close > open && text.slice(close + 3).trim() === "" ? text.slice(open, close) : undefined;
}

function jsonActions(object: JsonObject): SpokenActions {
  return { calls: callsIn(object), text: wordsIn(object).join("\n") };
}

function callsIn(object: JsonObject): readonly Call[] {
  const list = listIn(object);
  if (list !== undefined) return list.flatMap(callsOf);
  return typeof object.action === "string" && object.action !== "Final Answer" && "action_input" in object
    ? [{ tool: object.action, args: argsText(object.action_input) }]
    : [];
}

function listIn({ action, actions }: JsonObject): readonly unknown[] | undefined {
  return [actions, action].find(Array.isArray);
}

function callsOf(element: unknown): readonly Call[] {
  if (!isObject(element)) return [];
  const { action, target, value, ...rest } = element;
  if (typeof action === "string") return [{ tool: action, args: argsText({ target, value, ...rest }) }];
  const named = Object.entries(element).filter(([, input]) => isObject(input));
  // browser-use dumps its action union with every unused member as null.
  const chosen = named.length > 0 ? named : Object.entries(element).filter(([, input]) => input === null);
  return chosen.length > 1 && named.length === 0
    ? []
    : chosen.map(([tool, input]) => ({ tool, args: argsText(input) }));
}

function argsText(input: unknown): string {
  return typeof input === "string" ? input : (jsonText(input) ?? "");
}

/** The strings beside the actions (an explanation, thoughts), one level of nesting included. */
function wordsIn(object: JsonObject): readonly string[] {
  return Object.entries(object).flatMap(([key, value]) => {
    if (key === "action" || key === "actions" || key === "action_input") return [];
    const values = isObject(value) ? Object.values(value) : [value];
    return values.filter((word): word is string => typeof word === "string" && word !== "");
  });
}
