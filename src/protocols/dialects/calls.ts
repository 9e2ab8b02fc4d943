import type { Call } from "../../step.ts";
import type { Work } from "../../work.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { containerEnd, isObject, jsonText, jsonValue, nonEmpty, objectIn } from "../json/json.ts";

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

export const ELEMENT_NAMES = ["action", "tool_name", "tool"];

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
export function inputIn(object: JsonObject) {
  const wrapper = WRAPPERS.find((one) => isObject(object[one]));
  const inner = wrapper === undefined ? object : objectIn(object[wrapper]);
  const key = NAMES.find((one) => nonEmpty(inner[one]) !== undefined);
  if (key === undefined || inner[key] === FINAL_ANSWER) return undefined;
  const objects = Object.keys(inner).filter((one) => isObject(inner[one]) && (key === "action" || INPUT.test(one)));
  const input = key === "action" && "action_input" in inner ? "action_input" : objects[0];
  if (input === undefined || (input !== "action_input" && objects.length > 1)) return undefined;
  return { wrapper, key, input, call: { tool: String(inner[key]), args: argsText(inner[input]) } };
}

const TOOL = /^[\p{L}_][\p{L}\p{N}_.:/-]*$/u;
const WITH_INPUT = /^([\p{L}_][\p{L}\p{N}_.:/-]*) ?(?:\[([\s\S]*)\]|\(([\s\S]*)\))$/u;
/** What stands between a name and its JSON: marks, a fence, the kind of what is called. */
const BETWEEN = /<[^<>]{1,32}>|✿[A-Z]{1,16}✿:?|^[\s:]+|\[[A-Z_]{1,16}\]|```\w{0,16}|^\s*function\b/g;
/** More of them in front of JSON are a sentence. */
const MAX_WORDS = 3;

/** @param isLabelled what stands there is an action by its label: then it may be a name alone */
export function nameWithInput(text: string, isLabelled = false): Call | undefined {
  const [line = ""] = text.split("\n", 1);
  const [, tool, list, args = ""] = WITH_INPUT.exec(text) ?? WITH_INPUT.exec(line.trim()) ?? [];
  if (tool !== undefined) return { tool, args: list ?? args };
  // Lines below a name are an input that goes by a label unknown here: unread, it would make different calls equal.
  return isLabelled && TOOL.test(line.trim()) ? { tool: line.trim(), args: text.slice(line.length).trim() } : undefined;
}

const LOOK_WORK = 1_024;

/** Calls as JSON or as Python writes it: one, a list of them, or the arguments behind a name. */
export function writtenCalls(text: string, work: Work): readonly Call[] {
  const at = text.search(/[[{](?![A-Z_]{1,16}\])/);
  if (at === -1 || !work.spend(LOOK_WORK)) return [];
  const end = containerEnd(text, at);
  const value = jsonValue(text.slice(at, end), work) ?? pythonLiteral(text.slice(at), work);
  const [tool, ...more] = text.slice(0, at).replace(BETWEEN, " ").split(/\s+/).filter(Boolean);
  if (tool !== undefined)
    return value !== undefined && more.length < MAX_WORDS && TOOL.test(tool) ? [{ tool, args: argsText(value) }] : [];
  const calls = [value].flat().flatMap((one) => callIn(one) ?? callsIn(one));
  // Code stands behind the object where a tool takes some.
  const [code] = /^\s*<code>[\s\S]*/.exec(text.slice(end).split("</tool_call>", 1)[0] ?? "") ?? [];
  return code === undefined ? calls : calls.map((call) => ({ ...call, args: `${call.args}\n${code.trim()}` }));
}

/** What Python writes in another way than JSON does; an end that is missing was cut off. Digits beyond a double's precision stay what they are. */
const PYTHON =
  /'((?:[^'\\]|\\[\s\S]?)*)(?:'|$)|"((?:[^"\\]|\\[\s\S]?)*)(?:"|$)|\b(?:True|False|None)\b|,(?=\s{0,64}[)\]}])|[()]|\b\d{16,400}\b/g;
const JSON_WORDS = new Map(Object.entries({ True: "true", False: "false", None: "null", "(": "[", ")": "]", ",": "" }));

function pythonLiteral(text: string, work: Work): Json {
  if (!text.includes("'") || !work.spend(text.length)) return undefined;
  const json = text.replace(PYTHON, (token, single?: string, double?: string) => {
    const inside = single ?? double;
    const written = inside === undefined ? JSON_WORDS.get(token) : JSON.stringify(inside.replace(ESCAPE, unescaped));
    return written ?? `"${token}"`;
  });
  return jsonValue(json.slice(0, containerEnd(json, 0)), work);
}

const ESCAPE = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|([\s\S]))/g;

function unescaped(_: string, byte?: string, unit?: string, one = ""): string {
  const code = byte ?? unit;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  return { n: "\n", t: "\t", r: "\r" }[one] ?? one;
}
