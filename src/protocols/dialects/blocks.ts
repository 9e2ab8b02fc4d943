import type { Call } from "../../step.ts";
import type { Work } from "../../work.ts";
import { isObject, jsonText, jsonValue } from "../json/json.ts";
import { type Dialect, lastActionIn, callIn, type TextActions } from "./dialect.ts";
import { piecesOf } from "./sections.ts";

/** Calls of one turn that are read. */
const MAX_CALLS = 64;

/**
 * Calls as JSON between tags (Hermes, Qwen, and the local models that are taught like them): `<tool_call>{"name", "arguments"}`.
 * What came back stands in the next user message, between `<tool_response>` tags.
 */
export const taggedCalls: Dialect = {
  name: "tagged-calls",
  read(text, _, work) {
    // One that a stop sequence has cut off lacks its end.
    const [before = "", ...bodies] = text.split("<tool_call>", MAX_CALLS + 1);
    const calls = bodies.flatMap((body) => {
      const [inside = ""] = body.split("</tool_call>", 1);
      // Code stands behind the object where a tool takes some.
      const [json = "", ...code] = inside.split(/(?=<code>)/, 2);
      const call = callIn(jsonValue(json, work));
      return call === undefined ? [] : [{ tool: call.tool, args: [call.args, ...code].join("\n") }];
    });
    return calls.length === 0 ? undefined : [{ calls, text: before.trim() }];
  },
};

// --- Calls told again as a Python list, and code (smolagents). ---

/** Native tool calls that the agent tells again as text, with a new id each turn. */
export const callingTools: Dialect = {
  name: "calling-tools",
  isNative: true,
  read(text, origin, work) {
    const actions = origin === "history" ? toldCalls(text, work) : undefined;
    return actions && [actions];
  },
};

const CALLING_TOOLS = /(?:^|\n)[ \t]*(?:Calling tools|Tool calls):\s{0,8}/i;

/** The calls of a text's list, and what was said before it. */
function toldCalls(text: string, work: Work): TextActions | undefined {
  const mark = CALLING_TOOLS.exec(text);
  const list = mark && pythonLiteral(text.slice(mark.index + mark[0].length), work);
  const calls = Array.isArray(list) ? list.flatMap((one) => callIn(one) ?? []) : [];
  return calls.length === 0 ? undefined : { calls, text: text.slice(0, mark?.index).trim() };
}

/** More of either is no list of calls. */
const MAX_DEPTH = 64;
const MAX_TOKENS = 8_192;
const PYTHON_TOKEN =
  /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|True|False|None|-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|[[\](){}:,]|\s+/gy;
const PYTHON_ESCAPE = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U(0[\dA-Fa-f]{7})|([\s\S]))/g;
const JSON_WORDS: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null", "(": "[", ")": "]" };
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", b: "\b", f: "\f", a: "\x07" };

/** The value of the Python literal that a text begins with (`repr` of lists, dicts, strings, numbers); undefined for anything else. */
function pythonLiteral(text: string, work: Work): unknown {
  const json: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(PYTHON_TOKEN)) {
    if (")]}".includes(token) && json.at(-1) === ",") json.pop();
    if (token.trim() !== "") json.push(jsonToken(token));
    depth += "([{".includes(token) ? 1 : ")]}".includes(token) ? -1 : 0;
    if (depth > MAX_DEPTH || json.length > MAX_TOKENS) return undefined;
    if (depth === 0 && json.length > 0) break;
  }
  return jsonValue(json.join(""), work);
}

function jsonToken(token: string): string {
  if (/^['"]/.test(token)) return JSON.stringify(unescaped(token.slice(1, -1)));
  if (!/^-?\d/.test(token)) return JSON_WORDS[token] ?? token;
  const number = token.replaceAll("_", "");
  // Digits beyond a double's precision stay what they are.
  return /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number)) ? `"${number}"` : String(Number(number));
}

function unescaped(text: string): string {
  return text.replace(PYTHON_ESCAPE, (_, x, u, long, one: string | undefined) => {
    if (one !== undefined) return ESCAPES[one] ?? one;
    const code = Number.parseInt(x ?? u ?? long, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}

/** How frameworks mark the code that is to be run. Both must stand at the beginning of a line: prose quotes code, too. */
const BLOCKS = [
  { open: /(?:^|\n)[ \t]{0,8}<code>[ \t]{0,8}\n/i, close: "</code>", tags: ["<code>", "</code>"] },
  {
    open: /(?:^|\n)[ \t]{0,8}Code:[ \t]{0,8}\n```(?:python|py)[ \t]{0,8}\n/i,
    close: "```",
    tags: ["Code:\n```py", "```<end_code>"],
  },
];

/** The name that agents of this kind give to their one tool. */
const INTERPRETER = "python_interpreter";
const THOUGHT = "I give the final answer.";

/** Code blocks that the agent runs (CodeAgent, also as an object of thought and code). It ends by a call of `final_answer`. */
export const code: Dialect = {
  name: "code",
  ownsSchema: true,
  recognises: (instructions) => /\bfinal_answer\s{0,8}\(/.test(instructions) && blockIn(instructions) !== undefined,
  read(text, _, work) {
    const told = toldCalls(text, work);
    const block = codeIn(told?.text ?? text, work);
    if (block !== undefined) return [{ calls: [{ tool: INTERPRETER, args: block.code }], text: block.before }];
    if (told?.calls.every(({ tool }) => tool === INTERPRETER) !== true) return undefined;
    // Its ids are numbers of the run's own calls: they tell no run from another.
    return [{ calls: told.calls.map(({ tool, args }) => ({ tool, args: args.trim() })), text: told.text }];
  },
  finishNote: () =>
    "Run no further code but a call of final_answer with your whole answer, in the form of your other code.",
  finalText({ text, sample, instructions, work }) {
    const call = `final_answer(${JSON.stringify(text)})`;
    const told = toldCalls(sample, work)?.text ?? sample;
    if (blockIn(told) === undefined && codeIn(told, work) !== undefined)
      return JSON.stringify({ thought: THOUGHT, code: call });
    const [open, close] = (blockIn(sample) ?? blockIn(instructions))?.tags ?? ["<code>", "</code>"];
    return `Thought: ${THOUGHT}\n${open}\n${call}\n${close}`;
  },
};

/** The first code block; one whose end is missing was cut off there by a stop sequence. */
function blockIn(text: string) {
  for (const { open, close, tags } of BLOCKS) {
    const match = open.exec(text);
    if (match === null) continue;
    const [inside = ""] = text.slice(match.index + match[0].length).split(close, 1);
    return { code: inside.trim(), before: text.slice(0, match.index).trim(), tags };
  }
  return undefined;
}

/** The same, or the code of an object that has a thought beside it. */
function codeIn(text: string, work: Work): { readonly code: string; readonly before: string } | undefined {
  const block = blockIn(text);
  if (block !== undefined || !/^\s{0,64}\{/.test(text)) return block;
  const pair = jsonValue(text, work);
  if (!isObject(pair) || typeof pair.thought !== "string" || typeof pair.code !== "string") return undefined;
  return Object.keys(pair).length === 2 ? { code: pair.code.trim(), before: pair.thought.trim() } : undefined;
}

// --- Field blocks, each under a heading `[[ ## name ## ]]` (DSPy). ---

/** A step is the fields of a tool's name and its arguments. */
export const fieldBlocks: Dialect = {
  name: "fields",
  recognises: (instructions) =>
    instructions.includes("[[ ## next_tool_name ## ]]") && lastTool(instructions) !== undefined,
  read(text) {
    const fields = fieldsOf(text);
    const tool = fields.get("next_tool_name");
    if (!tool) return undefined;
    const calls = [{ tool, args: fields.get("next_tool_args") ?? "" }];
    return [{ calls, text: fields.get("next_thought") ?? "" }];
  },
  finishNote: ({ instructions }) =>
    `Write your whole answer into the field next_thought, and name the tool ${lastTool(instructions) ?? "finish"}, without arguments. Call no other tool.`,
  finalText({ text, instructions }) {
    const values = { next_thought: text, next_tool_name: lastTool(instructions) ?? "finish", next_tool_args: "{}" };
    const fields = Object.entries(values).map(([name, value]) => `[[ ## ${name} ## ]]\n${value}\n`);
    return [...fields, "[[ ## completed ## ]]"].join("\n");
  },
};

/** The fields of a text by name, of equal names the last. */
export function fieldsOf(text: string): ReadonlyMap<string, string> {
  const fields = piecesOf(text, /\[\[ ## ([A-Za-z_]\w{0,63}) ## \]\]/g);
  return new Map(fields.map(({ mark: [, name = ""], body }) => [name, body.trim()]));
}

/** Of the tools that a name may stand for, the one that ends the run. */
function lastTool(instructions: string): string | undefined {
  const lists = [...instructions.matchAll(/Literal\[([^[\]\n]{0,4000})\]/g)];
  return lists.map(([, names = ""]) => /'(finish|done|submit|final_answer)'/.exec(names)?.[1]).find(Boolean);
}

// --- Calls written as elements of markup, their parameters as elements inside. ---

/** An element that calls a tool whose name stands in its tag: `<invoke name="find">`, `<function=find>`. */
const NAMED = /(?:^|\n)[ \t]{0,8}<(?<tag>\w{1,32})(?:[ \t]{1,4}name[ \t]{0,4}=[ \t]{0,4}"|=)(?<tool>[\w.:-]{1,64})"?>/g;
/** An element whose tag is the tool: it has an underscore, for `<table>` is an answer. */
const BARE = /(?:^|\n)[ \t]{0,8}<(?<tag>[a-z]{1,32}(?:_[a-z0-9]{1,32}){1,4})>/g;
/** A parameter: `<path>…</path>`, `<parameter name="path">…</parameter>`, `<parameter=path>…</parameter>`. */
const PARAMETER = /^\s{0,64}<(\w{1,64})(?:(?:[ \t]{1,4}name[ \t]{0,4}=[ \t]{0,4}"|=)([\w.:-]{1,64})"?)?>/;

/** Cline, Roo Code, OpenHands, models that are asked for XML. */
export const markupCalls: Dialect = {
  name: "markup-calls",
  read(text, _, work) {
    if (!text.includes("</")) return undefined;
    // Elements with names in their tags may stand in one that has none.
    const named = elementsLike(NAMED, text, work);
    const elements = named.length > 0 ? named : elementsLike(BARE, text, work);
    const [first] = elements;
    return first && [{ calls: elements.map(({ call }) => call), text: text.slice(0, first.at).trim() }];
  },
  finishNote({ instructions }) {
    const end = lastCallIn(instructions);
    return end && `Take no further action but ${end.tool}, with your whole answer as its ${end.parameter}.`;
  },
  frame({ sample, instructions }) {
    const end = lastCallIn(instructions);
    if (end === undefined) return undefined;
    const { tool, parameter } = end;
    const [named] = sample.matchAll(NAMED);
    if (named === undefined) return { open: `<${tool}>\n<${parameter}>`, close: `</${parameter}>\n</${tool}>` };
    const [opening, tag, latest = ""] = named;
    const inside = opening.includes('"') ? `<parameter name="${parameter}">` : `<parameter=${parameter}>`;
    return { open: `${opening.trim().replace(latest, tool)}\n${inside}`, close: `</parameter>\n</${tag}>` };
  },
};

function elementsLike(
  pattern: RegExp,
  text: string,
  work: Work,
): readonly { readonly at: number; readonly call: Call }[] {
  const elements: { at: number; call: Call }[] = [];
  let end = 0;
  for (const match of [...text.matchAll(pattern)].slice(0, MAX_CALLS)) {
    const { 0: opening, index: at, groups: { tag = "", tool = tag } = {} } = match;
    if (at < end) continue;
    const start = at + opening.length;
    const close = text.indexOf(`</${tag}>`, start);
    // One that a stop sequence has cut off lacks its end.
    const args = argsIn(text.slice(start, close === -1 ? undefined : close), pattern === NAMED, work);
    if (args !== undefined) elements.push({ at, call: { tool, args } });
    if (close === -1) break;
    if (args !== undefined) end = close;
  }
  return elements;
}

/** @param isNamed the tag says that it is a call, so that it may have no parameter, or JSON inside */
function argsIn(inside: string, isNamed: boolean, work: Work): string | undefined {
  const args: Record<string, string> = Object.create(null);
  let rest = inside;
  for (let match = PARAMETER.exec(rest); match !== null; match = PARAMETER.exec(rest)) {
    const [opening, tag = "", name = tag] = match;
    const close = rest.indexOf(`</${tag}>`, opening.length);
    args[name] = rest.slice(opening.length, close === -1 ? undefined : close).trim();
    rest = close === -1 ? "" : rest.slice(close + tag.length + 3);
  }
  const hasArgs = Object.keys(args).length > 0;
  if (rest.trim() === "") return hasArgs || isNamed ? jsonText(args) : undefined;
  return isNamed && !hasArgs && jsonValue(rest, work) !== undefined ? rest.trim() : undefined;
}

/** The action that ends a run, and the first parameter that the instructions show in a call of it: as an element inside, or in a signature. */
function lastCallIn(instructions: string): { readonly tool: string; readonly parameter: string } | undefined {
  const tool = lastActionIn(instructions);
  if (tool === undefined) return undefined;
  const element = new RegExp(
    String.raw`<(?:\w{1,32} name="|\w{1,32}=)?${tool}"?>\s{0,16}<(?:\w{1,32}(?: name="|=))?(\w{1,64})"?>`,
  );
  const signature = new RegExp(String.raw`\b${tool}\(\s{0,4}(\w{1,64})`);
  return { tool, parameter: (element.exec(instructions) ?? signature.exec(instructions))?.[1] ?? "result" };
}
