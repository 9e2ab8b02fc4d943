import type { Call } from "../../step.ts";
import { containerEnd, isObject, type JsonObject, jsonText, parseJson } from "../json/json.ts";
import { fillSchema, isThought } from "../schema-fill/schema-fill.ts";
import type { Dialect, TextActions } from "./dialect.ts";

/**
 * Actions as JSON: an object with a list `action` or `actions`, or one `action` with an `action_input`. Bare, in a code
 * fence, or behind prose. Web agents stop at an empty list and a flag, others at an action of a name such as `done`.
 */
export const jsonActions: Dialect = {
  name: "json-actions",
  recognises: () => false,
  read: (text) => {
    const object = actionObject(text);
    return object === undefined ? undefined : [actionsOf(object)];
  },
  task: (message) => /ultimate task is:\s{0,4}"""([\s\S]{1,8000}?)"""/i.exec(message)?.[1],
  lastAction: (sample) => {
    const list = listIn(actionObject(sample) ?? {});
    return list === undefined || namesItsActions(list) ? undefined : "done";
  },
  finishNote: () => undefined,
  finalText: ({ text, ended, sample }) => {
    const example = actionObject(sample);
    const filled = example === undefined ? undefined : fillSchema(finalSchema(example), text, ended);
    return jsonText(filled) ?? text;
  },
};

/** The object of actions that a text holds. */
function actionObject(text: string): JsonObject | undefined {
  // A look for the key spares the parser all other JSON that assistants write.
  if (!text.includes('"action')) return undefined;
  for (const candidate of objectsIn(text)) {
    const parsed = parseJson(candidate);
    if (isObject(parsed) && callsIn(parsed).length > 0) return parsed;
  }
  return undefined;
}

/** Objects tried at most: each costs a parse of the text behind it. */
const MAX_OBJECTS = 4;

/** The texts of a message that may be one object: all of it, or what begins with a brace of its own line. */
function objectsIn(text: string): readonly string[] {
  const start = text.search(/\S/);
  if (text.startsWith("{", start)) return [text, text.slice(start, containerEnd(text, start))];
  const found: string[] = [];
  const brace = /(?:^|\n)[ \t]{0,8}(?:```\w{0,16}[ \t]{0,8}\n?[ \t]{0,8})?\{/g;
  for (let match = brace.exec(text); match !== null && found.length < MAX_OBJECTS; match = brace.exec(text)) {
    const open = brace.lastIndex - 1;
    const end = containerEnd(text, open);
    found.push(text.slice(open, end));
    brace.lastIndex = end;
  }
  return found;
}

/**
 * The actions that a call only carries, as where an agent offers one tool for all it does. Undefined where its arguments
 * say anything else beside thoughts, for then the call is the action.
 */
export function wrappedActions(args: string): TextActions | undefined {
  const object = args.includes('"action') ? parseJson(args) : undefined;
  if (!isObject(object)) return undefined;
  const list = listIn(object);
  if (list === undefined || list.length === 0 || list.some((element) => callsOf(element).length !== 1))
    return undefined;
  const besides = Object.keys(object).filter((key) => key !== "action" && key !== "actions");
  return besides.every(isThought) ? actionsOf(object) : undefined;
}

function actionsOf(object: JsonObject): TextActions {
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

// --- The end that such an agent accepts, judged by its own objects. ---

const doneAction = {
  type: "object",
  required: ["done"],
  properties: {
    done: {
      type: "object",
      required: ["text", "success"],
      properties: { text: { type: "string" }, success: { type: "boolean" } },
    },
  },
};

const doneList = { type: "array", minItems: 1, maxItems: 1, items: doneAction };

function finalSchema(example: JsonObject): unknown {
  if (typeof example.action === "string") {
    return objectSchema([
      ["action", { const: "Final Answer" }],
      ["action_input", { type: "string" }],
    ]);
  }
  const members = Object.entries(example).map(([key, value]): [string, unknown] => {
    if (!isActionList(example, key)) return [key, schemaLike(value)];
    return [key, namesItsActions(value) ? { type: "array", maxItems: 0 } : doneList];
  });
  const speaks = members.some(([, schema]) => schema === doneList) || Object.values(example).some(isString);
  return objectSchema(speaks ? members : [...members, ["message", { type: "string" }]]);
}

function isActionList(example: JsonObject, key: string): boolean {
  return Array.isArray(example[key]) && key === (Array.isArray(example.actions) ? "actions" : "action");
}

/** Web agents name each action in a field and stop at an empty list; browser-use has a `done` action. */
function namesItsActions(list: unknown): boolean {
  return Array.isArray(list) && list.some((element) => isObject(element) && typeof element.action === "string");
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}

function schemaLike(value: unknown): unknown {
  if (Array.isArray(value)) return { type: "array" };
  // One level is what such agents have; anything deeper keeps its key and no more.
  if (isObject(value)) {
    return objectSchema(
      Object.entries(value).map(([key, inner]) => [key, isObject(inner) ? { type: "object" } : schemaLike(inner)]),
    );
  }
  return { type: value === null ? "null" : typeof value };
}

function objectSchema(members: readonly (readonly [string, unknown])[]): unknown {
  return {
    type: "object",
    required: members.map(([key]) => key),
    properties: Object.fromEntries(members),
  };
}
