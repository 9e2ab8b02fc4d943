import type { Call } from "../../step.ts";
import type { Work } from "../../work.ts";
import {
  type Json,
  arrayIn,
  containerEnd,
  isObject,
  type JsonObject,
  jsonText,
  jsonValue,
  nonEmpty,
  objectIn,
} from "../json/json.ts";
import { fillSchema, isEndFlag, isThoughtField } from "../schema-fill/schema-fill.ts";
import { type Dialect, endWordIn, lastCallIn, READ_MAX, type TextActions } from "./dialect.ts";

export const FINAL_ANSWER = "Final Answer";

export const argsText = (input: Json): string => (typeof input === "string" ? input : (jsonText(input) ?? ""));

const NAMES = ["action", "tool", "tool_name", "name", "function"];
const INPUT = /^(?:(?:action|tool)_)?(?:input|arg(?:ument)?s)$|^parameters$/;

/** A call that an object is: a name, and its arguments under one of the usual keys or as the members beside; as APIs write it within `function`. */
export function callIn(value: Json, names = NAMES): Call | undefined {
  const outer = objectIn(value);
  const object = isObject(outer.function) ? outer.function : outer;
  const key = names.find((name) => nonEmpty(object[name]) !== undefined);
  if (key === undefined || object[key] === FINAL_ANSWER) return undefined;
  const { [key]: name, ...rest } = object;
  // Some tools have several activities.
  const tool = key === "name" && nonEmpty(rest.path) !== undefined ? `${name}.${rest.path}` : String(name);
  // Beside an action stand what it is about and what is put there, each under a name of its own.
  const input = Object.keys(rest).find((one) => (key === "action" ? one === "action_input" : INPUT.test(one)));
  const args = argsText(input === undefined ? rest : (rest[input] ?? {}));
  const id = nonEmpty(outer.id);
  return { ...(id !== undefined && { id }), tool, args };
}

const ELEMENT_NAMES = ["action", "tool_name", "tool"];

/** The calls that an element of a list of actions is: one that names itself, or one by each member. */
export function callsIn(element: Json): readonly Call[] {
  const named = callIn(element, ELEMENT_NAMES);
  const members = Object.entries(objectIn(element));
  if (named !== undefined || members.some(([, value]) => value === FINAL_ANSWER)) return named ? [named] : [];
  const used = members.filter(([, input]) => isObject(input));
  // browser-use dumps its action union with every unused member as null.
  const unused = members.filter(([, input]) => input === null);
  const told = used.length > 0 || unused.length !== 1 ? used : unused;
  return told.map(([tool, input]) => ({ tool, args: argsText(input) }));
}

const WRAPPERS = ["command", "function", "tool_call"];

/** The one call that an object tells beside what is thought: an action with its input in words, or with the only object beside it; else a tool with its arguments as an object. */
function inputIn(object: JsonObject) {
  const wrapper = WRAPPERS.find((one) => isObject(object[one]));
  const inner = wrapper === undefined ? object : objectIn(object[wrapper]);
  const key = NAMES.find((one) => nonEmpty(inner[one]) !== undefined);
  if (key === undefined || inner[key] === FINAL_ANSWER) return undefined;
  const objects = Object.keys(inner).filter((one) => isObject(inner[one]) && (key === "action" || INPUT.test(one)));
  const input = key === "action" && "action_input" in inner ? "action_input" : objects[0];
  if (input === undefined || (input !== "action_input" && objects.length > 1)) return undefined;
  return { wrapper, key, input, call: { tool: String(inner[key]), args: argsText(inner[input]) } };
}

/** An object with a list of actions, or one `action` with an `action_input`: bare, in a code fence, or behind prose. */
export const jsonActions: Dialect = {
  name: "json-actions",
  read(text, _, work) {
    const told = toldIn(text, work);
    if (told === undefined) return undefined;
    const { actions, words } = told;
    const texts = [actions.list === undefined ? "" : words, actions.text];
    return [{ calls: actions.calls, text: texts.filter((some) => some !== "").join("\n") }];
  },
  lastAction({ sample, work }) {
    const list = toldIn(sample, work)?.actions.list;
    return list === undefined || list.isNamed ? undefined : "done";
  },
  finishNote({ sample, instructions }) {
    const form = sample === "" ? demandedForm(instructions) : undefined;
    if (form === undefined) return undefined;
    const { list, flag, words, isFenced } = form;
    const over = flag === undefined ? "" : `, ${flag} true`;
    const place = isFenced ? "in front of the JSON block" : `in the member ${words}`;
    return `Take no further action: leave the list ${list} empty${over}, and write your whole answer ${place}.`;
  },
  finalText({ text, ended, sample, instructions, work }) {
    const told = toldIn(sample, work);
    if (told === undefined) {
      const form = sample === "" ? demandedForm(instructions) : undefined;
      return form === undefined ? text : endIn(form, text);
    }
    const { actions, isFenced, words } = told;
    const flag = Object.keys(actions.object).find(isEndFlag);
    // Who reads prose and then a block takes the prose for the answer.
    if (isFenced && words !== "" && actions.list?.isNamed && flag !== undefined)
      return endIn({ list: actions.list.name, flag, isFenced, words: "" }, text);
    const schema = finalSchema(actions, instructions);
    return (schema && jsonText(fillSchema(schema, text, ended, work))) ?? text;
  },
};

const LOOK_WORK = 256;
/** Braces that begin nothing of the kind, looked at in one text: each costs a look at all behind it. */
const MAX_STRAY = 16;
/** What a template leaves open, or a line of code: many of them cost what one other look does. */
const SLOT = /^\{{1,2}(?!\s{0,40}")[^{}]{1,200}\}{1,2}$/;

/** What stands between braces in a text and is something to the reader, those within others left out. */
export function bracedIn<Read>(text: string, begins: RegExp, work: Work, read: (braced: string) => Read | undefined) {
  const found: { readonly at: number; readonly end: number; readonly object: Read }[] = [];
  const brace = new RegExp(begins, "g");
  for (let stray = 0, match = brace.exec(text); match !== null && stray < MAX_STRAY; match = brace.exec(text)) {
    const { index: at } = match;
    const end = containerEnd(text, at);
    if (!work.spend(LOOK_WORK + (end - at) / 4)) break;
    const braced = text.slice(at, end);
    const object = read(braced);
    if (object === undefined) stray += SLOT.test(braced) ? 1 / MAX_STRAY : 1;
    else found.push({ at, end, object });
    brace.lastIndex = object === undefined ? at + 1 : end;
  }
  return found;
}

export const objectsIn = (text: string, work: Work) =>
  bracedIn(text, /\{\s{0,40}["}]/, work, (braced) => {
    const object = jsonValue(braced, work);
    return isObject(object) ? object : undefined;
  });

const ACTION_KEY = /"(?:(?:\w{1,24}_)?(?:actions?|arg(?:ument)?s|input)|parameters|commands)"/;
const FENCE = /```\w{0,16}\s{0,8}$/;
const BEGINS_LINE = /(?:^|\n)[ \t]{0,8}(?:```\w{0,16}[ \t]{0,8}\n?[ \t]{0,8})?$/;
const ANNOUNCES = /[:：]\s{0,8}$/;
const BEGINS_ANEW = /^[.。!！]?(?:\s{0,8}[\p{Lu}\p{Lo}]|[ \t]{0,8}\n)/u;

/** The first object that begins a line, or the last one that a sentence ends with: in the midst of one it is quoted. */
function toldIn(text: string, work: Work, fits = ({ calls }: Actions) => calls.length > 0) {
  // A look for the key spares the parser all other JSON that assistants write.
  const objects = text.includes("{") && ACTION_KEY.test(text) ? objectsIn(text, work) : [];
  const fitting = objects.flatMap(({ object, ...place }) => {
    const actions = actionsOf(object);
    return fits(actions) ? [{ ...place, actions }] : [];
  });
  const before = (at: number) => text.slice(Math.max(0, at - 32), at);
  const told =
    fitting.find(({ at }) => BEGINS_LINE.test(before(at))) ??
    fitting.findLast(
      ({ at, end }) =>
        text.slice(end).trim() === "" || (ANNOUNCES.test(before(at)) && BEGINS_ANEW.test(text.slice(end, end + 9))),
    );
  if (told === undefined) return undefined;
  const words = text.slice(0, told.at);
  return { actions: told.actions, words: words.replace(FENCE, "").trim(), isFenced: FENCE.test(words) };
}

/** Whether an answer says in JSON that the run is over: a flag that says so, with or without last actions. */
export function saysEnd(text: string, work: Work): boolean {
  const isOver = ({ list, object }: Actions) =>
    list !== undefined && Object.entries(object).some(([key, value]) => value === true && isEndFlag(key));
  return toldIn(text, work, isOver) !== undefined;
}

/** Of a call that only carries actions. Undefined where its arguments say anything else beside thoughts: then the call is the action. */
export function wrappedActions(args: string, work: Work): TextActions | undefined {
  const object = args.includes('"action') ? jsonValue(args, work) : undefined;
  const actions = isObject(object) ? actionsOf(object) : undefined;
  const { list } = actions ?? {};
  if (!isObject(object) || list === undefined || list.elements.length === 0) return undefined;
  const besides = Object.keys(object).filter((key) => key !== list.name);
  return besides.every(isThoughtField) && list.elements.every((one) => callsIn(one).length === 1) ? actions : undefined;
}

type Actions = ReturnType<typeof actionsOf>;

function actionsOf(object: JsonObject) {
  const names = ["actions", "action", ...Object.keys(object)];
  const name = names.find((one) => LIST_NAME.test(one) && Array.isArray(object[one]));
  const elements = arrayIn(object[name ?? ""]);
  const isNamed = name === TYPED || elements.some((one) => callIn(one, ELEMENT_NAMES));
  const list = name === undefined ? undefined : { name, elements, isNamed };
  // What is typed into a terminal has no name.
  const calls = elements.flatMap((one) =>
    name === TYPED ? [{ tool: "command", args: jsonText(one) ?? "" }] : callsIn(one),
  );
  const single = list === undefined ? inputIn(object) : undefined;
  const own = ["action", "actions", name, single?.wrapper ?? single?.key, single?.input ?? "action_input"];
  const words = Object.entries(object).flatMap(([key, value]) => {
    if (own.includes(key)) return [];
    return (isObject(value) ? Object.values(value) : [value]).filter((word) => typeof word === "string" && word !== "");
  });
  return { object, list, single, calls: single ? [single.call] : calls, text: words.join("\n") };
}

const TYPED = "commands";
/** `actions`, `action`, or actions of some kind: `concrete_actions`, `next_actions`; what is typed into a terminal. */
const LIST_NAME = /^(?:actions?|\w{1,24}_actions|commands)$/;

const WORDS = ["explanation", "message", "answer", "summary", "thought", "reasoning"];

/** Members that have the list, say that all is done, and say why. Undefined where a prompt shows no list of actions. */
export function demandedForm(instructions: string) {
  const text = instructions.slice(0, READ_MAX);
  const list = /["'`]((?:\w{1,24}_)?actions)["'`]\s{0,4}:\s{0,4}\[/.exec(text)?.[1];
  if (list === undefined) return undefined;
  const flags = [...text.matchAll(/["'`](\w{1,32})["'`]\s{0,4}:\s{0,4}(?:true|false)\b/gi)];
  const flag = flags.map(([, name = ""]) => name).find(isEndFlag);
  const words = WORDS.find((name) => text.includes(`"${name}"`)) ?? "message";
  return { list, flag, words, isFenced: /```json\b/i.test(text) };
}

function endIn({ list, flag, words, isFenced }: NonNullable<ReturnType<typeof demandedForm>>, text: string): string {
  const object = { ...(!isFenced && { [words]: text }), [list]: [], ...(flag !== undefined && { [flag]: true }) };
  return isFenced ? `${text}\n\n\`\`\`json\n${JSON.stringify(object)}\n\`\`\`` : JSON.stringify(object);
}

const string = { type: "string" };
const doneAction = objectSchema({ done: objectSchema({ text: string, success: { type: "boolean" } }) });
const doneList = { type: "array", minItems: 1, maxItems: 1, items: doneAction };

function finalSchema({ object, list, single }: Actions, instructions: string): JsonObject | undefined {
  if (list === undefined) {
    const { wrapper, key = "", input = "" } = single ?? {};
    const listed = key === "action" ? (endWordIn(instructions) ?? "done") : undefined;
    const { tool = listed, parameter = "text" } = lastCallIn(instructions) ?? {};
    const isInWords = input === "action_input";
    if (!isInWords && tool === undefined) return undefined;
    const last = objectSchema({
      [key]: { const: isInWords ? FINAL_ANSWER : tool },
      [input]: isInWords ? string : objectSchema({ [parameter]: string }),
    });
    return wrapper === undefined ? last : objectSchema({ [wrapper]: last });
  }
  return endLike(object, { [list.name]: list.isNamed ? { type: "array", maxItems: 0 } : doneList }, !list.isNamed);
}

/** Of an object like that one, with some members that say the end. @param isTold they have a place for the text */
export function endLike(object: JsonObject, ends: JsonObject, isTold: boolean): JsonObject {
  const members = mapped(object, (value, key) => (Object.hasOwn(ends, key) ? ends[key] : exampleSchema(value)));
  const speaks = isTold || Object.values(members).some((one) => objectIn(one).type === "string");
  return objectSchema(speaks ? members : { ...members, message: string });
}

const MAX_CHOICE = 200;

/** A schema of which an example is one value. Words between bars (`yes | no`) are a choice. */
export function exampleSchema(value: Json): Json {
  if (Array.isArray(value)) return { type: "array" };
  // One level is what such objects have; anything deeper keeps its key and no more.
  if (isObject(value))
    return objectSchema(mapped(value, (one) => (isObject(one) ? { type: "object" } : exampleSchema(one))));
  const choice =
    typeof value === "string" && value.length <= MAX_CHOICE ? value.split("|").map((one) => one.trim()) : [];
  if (choice.length > 1 && choice.every((one) => /^[\w -]+$/.test(one))) return { enum: choice };
  return { type: value === null ? "null" : typeof value };
}

export function objectSchema(properties: JsonObject, isClosed = false): JsonObject {
  const required = Object.keys(properties);
  return { type: "object", required, properties, ...(isClosed && { additionalProperties: false }) };
}

function mapped(object: JsonObject, one: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, one(value, key)]));
}
