import type { Call } from "../../step.ts";
import { containerEnd, isObject, type JsonObject, jsonText, parseJson, stringIn } from "../json/json.ts";
import { fillSchema, isEndFlag, isThoughtField } from "../schema-fill/schema-fill.ts";
import type { Dialect, TextActions } from "./dialect.ts";
import { exampleSchema, objectSchema } from "./example-schema.ts";
import { demandedForm, ended, fenced } from "./json-form.ts";
import { lastActionIn } from "./markup-calls.ts";

/**
 * Actions as JSON: an object with a list `action` or `actions`, or one `action` with an `action_input`. Bare, in a code
 * fence, or behind prose. Web agents stop at an empty list and a flag, others at an action of a name such as `done`.
 */
export const jsonActions: Dialect = {
  name: "json-actions",
  recognises: () => false,
  read: (text) => {
    const actions = actionsTold(text);
    if (actions === undefined) return undefined;
    const { calls, text: inside } = actionsOf(actions.object);
    // In front of one action stands a label, in front of a list what the user is told.
    const before = listIn(actions.object) === undefined ? "" : actions.words;
    return [{ calls, text: [before, inside].filter((some) => some !== "").join("\n") }];
  },
  task: (message) => /ultimate task is:\s{0,4}"""([\s\S]{1,8000}?)"""/i.exec(message)?.[1],
  lastAction: (sample) => {
    const list = listIn(actionsTold(sample)?.object ?? {});
    return list === undefined || namesItsActions(list) ? undefined : "done";
  },
  finishNote: ({ sample, instructions }) => {
    const form = sample === "" ? demandedForm(instructions) : undefined;
    return (
      form &&
      `Take no further action. Your whole answer must have this form:\n${ended(form, "<what you have found out>")}`
    );
  },
  finalText: ({ text, ended: how, sample, instructions }) => {
    const actions = actionsTold(sample);
    if (actions === undefined) {
      const form = sample === "" ? demandedForm(instructions) : undefined;
      return form === undefined ? text : ended(form, text);
    }
    const { object, isFenced, words } = actions;
    const end = isFenced && words !== "" ? endedObject(object) : undefined;
    // Who reads prose and then a block takes the prose for the answer.
    if (end !== undefined) return fenced(text, end);
    return jsonText(fillSchema(finalSchema(object, instructions), text, how)) ?? text;
  },
};

/** An object of actions, and how a text tells it. */
interface PromptActions {
  readonly object: JsonObject;
  /** What stands in front of it. */
  readonly words: string;
  readonly isFenced: boolean;
}

function actionsTold(text: string): PromptActions | undefined {
  return objectTold(text, (object) => callsIn(object).length > 0);
}

/** Whether an answer says in JSON that the run is over: a flag that says so, with or without last actions. */
export function saysEnd(text: string): boolean {
  const hasEnded = (object: JsonObject) =>
    listIn(object) !== undefined && Object.entries(object).some(([key, value]) => value === true && isEndFlag(key));
  return objectTold(text, hasEnded) !== undefined;
}

/** The first object of a text that is one with actions. */
function objectTold(text: string, fits: (object: JsonObject) => boolean): PromptActions | undefined {
  // A look for the key spares the parser all other JSON that assistants write.
  if (!ACTION_KEY.test(text)) return undefined;
  for (const { at, object: candidate } of objectsIn(text)) {
    const object = parseJson(candidate);
    if (!isObject(object) || !fits(object)) continue;
    const before = text.slice(0, at).trimEnd();
    const isFenced = /```\w{0,16}$/.test(before);
    return { object, words: before.replace(/```\w{0,16}$/, "").trim(), isFenced };
  }
  return undefined;
}

const ACTION_KEY = /"(?:\w{1,24}_)?actions?"/;

/** Objects tried at most: each costs a parse of the text behind it. */
const MAX_OBJECTS = 4;

interface ObjectText {
  readonly at: number;
  readonly object: string;
}

/** The texts of a message that may be one object: all of it, what begins with a brace of its own line, or what a sentence ends with. */
function objectsIn(text: string): readonly ObjectText[] {
  const start = text.search(/\S/);
  if (text.startsWith("{", start)) {
    return [
      { at: start, object: text },
      { at: start, object: text.slice(start, containerEnd(text, start)) },
    ];
  }
  const objects: ObjectText[] = [];
  const brace = /(?:^|\n)[ \t]{0,8}(?:```\w{0,16}[ \t]{0,8}\n?[ \t]{0,8})?\{/g;
  for (let match = brace.exec(text); match !== null && objects.length < MAX_OBJECTS; match = brace.exec(text)) {
    const open = brace.lastIndex - 1;
    const end = containerEnd(text, open);
    objects.push({ at: open, object: text.slice(open, end) });
    brace.lastIndex = end;
  }
  const last = objects.length === 0 ? lastObjectIn(text) : undefined;
  return last === undefined ? objects : [last];
}

/** What is in the midst of a sentence is quoted; behind it, or between a colon and the next one, stands what is meant. */
function lastObjectIn(text: string): ObjectText | undefined {
  const length = text.trimEnd().length;
  const brace = /\{\s{0,40}"/g;
  let last: ObjectText | undefined;
  for (let match = brace.exec(text), tried = 0; match !== null && tried < MAX_OBJECTS; match = brace.exec(text)) {
    const { index: at } = match;
    const end = containerEnd(text, at);
    const isApart = ANNOUNCES.test(text.slice(Math.max(0, at - 9), at)) && BEGINS_ANEW.test(text.slice(end, end + 9));
    if (end === length || isApart) last = { at, object: text.slice(at, end) };
    brace.lastIndex = end;
    tried += 1;
  }
  return last;
}

const ANNOUNCES = /[:：]\s{0,8}$/;
/** A line, or a sentence that no small letter begins. */
const BEGINS_ANEW = /^[.。!！]?(?:\s{0,8}[\p{Lu}\p{Lo}]|[ \t]{0,8}\n)/u;

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
  const besides = Object.keys(object).filter((key) => object[key] !== list);
  return besides.every(isThoughtField) ? actionsOf(object) : undefined;
}

function actionsOf(object: JsonObject): TextActions {
  return { calls: callsIn(object), text: wordsIn(object).join("\n") };
}

function callsIn(object: JsonObject): readonly Call[] {
  const list = listIn(object);
  if (list !== undefined) return list.flatMap(callsOf);
  const name = inputNameIn(object);
  return name === undefined ? [] : [{ tool: stringIn(object.action) ?? "", args: argsText(object[name]) }];
}

/** The member with the arguments of one `action`: the only object beside it, whatever it is called, or an input in words. */
function inputNameIn(object: JsonObject): string | undefined {
  if (typeof object.action !== "string" || object.action === "Final Answer") return undefined;
  if ("action_input" in object) return "action_input";
  const [name, another] = Object.keys(object).filter((key) => isObject(object[key]));
  return another === undefined ? name : undefined;
}

function listIn(object: JsonObject): readonly unknown[] | undefined {
  const name = listNameIn(object);
  const list = name === undefined ? undefined : object[name];
  return Array.isArray(list) ? list : undefined;
}

/** `actions`, `action`, or actions of some kind: `concrete_actions`, `next_actions`. */
function listNameIn(object: JsonObject): string | undefined {
  const isList = (name: string) => Object.hasOwn(object, name) && Array.isArray(object[name]);
  return ["actions", "action"].find(isList) ?? Object.keys(object).find((name) => KIND.test(name) && isList(name));
}

const KIND = /^\w{1,24}_actions$/;

function callsOf(element: unknown): readonly Call[] {
  if (!isObject(element)) return [];
  const { action, target, value, ...rest } = element;
  if (typeof action === "string") return [{ tool: action, args: argsText({ target, value, ...rest }) }];
  const call = namedCall(element);
  if (call !== undefined) return [call];
  const named = Object.entries(element).filter(([, input]) => isObject(input));
  // browser-use dumps its action union with every unused member as null.
  const member = named.length > 0 ? named : Object.entries(element).filter(([, input]) => input === null);
  return member.length > 1 && named.length === 0
    ? []
    : member.map(([tool, input]) => ({ tool, args: argsText(input) }));
}

/** An action that is written as a tool and its arguments. */
function namedCall(element: JsonObject): Call | undefined {
  const tool = stringIn(element.tool_name) ?? stringIn(element.tool);
  if (tool === undefined || tool === "") return undefined;
  const args = ["tool_arguments", "tool_args", "arguments", "args", "tool_input", "input", "parameters"];
  const argument = args.find((name) => Object.hasOwn(element, name));
  return { tool, args: argument === undefined ? "{}" : argsText(element[argument]) };
}

function argsText(input: unknown): string {
  return typeof input === "string" ? input : (jsonText(input) ?? "");
}

/** The strings beside the actions (an explanation, thoughts), one level of nesting included. */
function wordsIn(object: JsonObject): readonly string[] {
  const list = listNameIn(object);
  const input = inputNameIn(object) ?? "action_input";
  return Object.entries(object).flatMap(([key, value]) => {
    if (key === list || key === "action" || key === "actions" || key === input) return [];
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

/** An empty list and its flag; undefined where an action ends the run. */
function endedObject(example: JsonObject): string | undefined {
  const list = listNameIn(example);
  const flags = Object.keys(example).filter(isEndFlag);
  if (list === undefined || flags.length === 0 || !namesItsActions(example[list])) return undefined;
  return jsonText({ [list]: [], ...Object.fromEntries(flags.map((flag) => [flag, true])) });
}

function finalSchema(example: JsonObject, instructions: string): unknown {
  if (typeof example.action === "string") {
    const input = inputNameIn(example) ?? "action_input";
    const isInWords = input === "action_input";
    return objectSchema([
      ["action", { const: isInWords ? "Final Answer" : (lastActionIn(instructions) ?? "done") }],
      [input, isInWords ? { type: "string" } : objectSchema([["text", { type: "string" }]])],
    ]);
  }
  const members = Object.entries(example).map(([key, value]): [string, unknown] => {
    if (!isActionList(example, key)) return [key, exampleSchema(value)];
    return [key, namesItsActions(value) ? { type: "array", maxItems: 0 } : doneList];
  });
  const speaks = members.some(([, schema]) => schema === doneList) || Object.values(example).some(isString);
  return objectSchema(speaks ? members : [...members, ["message", { type: "string" }]]);
}

function isActionList(example: JsonObject, key: string): boolean {
  return key === listNameIn(example);
}

/** Web agents name each action in a field and stop at an empty list; browser-use has a `done` action. */
function namesItsActions(list: unknown): boolean {
  return (
    Array.isArray(list) &&
    list.some(
      (element) => isObject(element) && (typeof element.action === "string" || namedCall(element) !== undefined),
    )
  );
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}
