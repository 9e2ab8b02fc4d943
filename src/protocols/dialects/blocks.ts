import type { Call } from "../../step.ts";
import type { Work } from "../../work.ts";
import { containerEnd, isObject, type Json, jsonText, jsonValue } from "../json/json.ts";
import { type Dialect, lastCallIn, type TextActions } from "./dialect.ts";
import { argsText, callIn, callsIn } from "./json-actions.ts";
import { piecesOf } from "./sections.ts";

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

const LITERAL_WORK = 1_024;

/** Calls as JSON or as Python writes it: one, a list of them, or the arguments behind a name. */
export function writtenCalls(text: string, work: Work): readonly Call[] {
  const at = text.search(/[[{](?![A-Z_]{1,16}\])/);
  if (at === -1 || !work.spend(LITERAL_WORK)) return [];
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

const MAX_CALLS = 64;
const MARK_WORK = 64;

/** Where models begin their calls in text: JSON, JSON behind a name, or code up to a mark. A new form is a row. */
const CALL_MARKS: readonly { readonly open: RegExp; readonly codeEnds?: RegExp }[] = [
  // Hermes, Qwen, and the local models that are taught like them.
  { open: /<(?:tool|function)_call>/g },
  // Mistral: `[TOOL_CALLS] [{"name", "arguments"}]`, `[TOOL_CALLS]name[ARGS]{…}`.
  { open: /\[TOOL_CALLS\]/g },
  // Llama. Code begins a line and fills the turn: anywhere else, the mark is spoken of.
  { open: /<\|python_tag\|>/g },
  { open: /(?<=^|\n)<\|python_tag\|>/g, codeEnds: /<\|e\w{1,8}\|>/ },
  // DeepSeek: `function<｜tool▁sep｜>name`, and JSON bare or in a fence.
  { open: /<｜tool▁call▁begin｜>/g },
  // Qwen: `✿FUNCTION✿: name`, and JSON behind `✿ARGS✿:`.
  { open: /✿FUNCTION✿/g },
  { open: /\bto=functions\./g },
  // Gemini, and agents that are asked for a fence.
  { open: /(?:^|\n)```tool_(?:code|call)[ \t]{0,8}\n/g, codeEnds: /```[\s\S]*/ },
];
const MARKED = /tool[_▁]c|TOOL_C|function_c|✿F|python_tag|to=f/;

export const markedCalls: Dialect = {
  name: "marked-calls",
  read(text, _, work) {
    for (const { open, codeEnds } of MARKED.test(text) ? CALL_MARKS : []) {
      const all = piecesOf(text, open);
      const pieces = work.spend(MARK_WORK * all.length) ? all.slice(0, MAX_CALLS) : [];
      const calls = pieces.flatMap(({ body }): readonly Call[] => {
        const written = writtenCalls(body, work);
        if (written.length > 0 || codeEnds === undefined) return written;
        const [lines = "", ...behind] = body.split(codeEnds);
        if (lines.trim() === "" || behind.some((rest) => rest.trim() !== "")) return [];
        return [nameWithInput(lines.trim()) ?? { tool: INTERPRETER, args: lines.trim() }];
      });
      if (calls.length > 0) return [{ calls, text: text.slice(0, pieces[0]?.start).trim() }];
    }
    return undefined;
  },
};

/** Native tool calls that the agent tells again as text, with a new id each turn. */
export const callingTools: Dialect = {
  name: "calling-tools",
  isNative: true,
  read(text, origin, work) {
    const actions = origin === "history" ? toldCalls(text, work) : undefined;
    return actions && [actions];
  },
};

/** The words first, for they are looked for in every text, and what stands before them behind. */
const CALLING_TOOLS = /(?:Calling tools|Tool calls):(?<=^[ \t]{0,64}\w{1,8} \w{1,8}:)\s{0,8}/im;

function toldCalls(text: string, work: Work): TextActions | undefined {
  const mark = CALLING_TOOLS.exec(text);
  const calls = mark ? writtenCalls(text.slice(mark.index + mark[0].length), work) : [];
  return calls.length === 0 ? undefined : { calls, text: text.slice(0, mark?.index).trim() };
}

const INTERPRETER = "python_interpreter";
const THOUGHT = "I give the final answer.";

/** How frameworks mark the code that is to be run. Both must stand at the beginning of a line: prose quotes code, too. */
const BLOCKS = [
  { open: /<code>(?<=^[ \t]{0,8}<code>)[ \t]{0,8}\n/im, close: "</code>", tags: ["<code>", "</code>"] },
  {
    open: /Code:(?<=^[ \t]{0,8}Code:)[ \t]{0,8}\n```py(?:thon)?[ \t]{0,8}\n/im,
    close: "```",
    tags: ["Code:\n```py", "```<end_code>"],
  },
] as const;

/** Code that the agent runs (CodeAgent): in a block, or as an object of thought and code. It ends by a call of `final_answer`. */
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
    const block = codeIn(toldCalls(sample, work)?.text ?? sample, work) ?? blockIn(instructions) ?? BLOCKS[0];
    if (block.tags === undefined) return JSON.stringify({ thought: THOUGHT, code: call });
    return `Thought: ${THOUGHT}\n${block.tags[0]}\n${call}\n${block.tags[1]}`;
  },
};

/** The first code block; one whose end is missing was cut off there by a stop sequence. */
function blockIn(text: string) {
  for (const { open, close, tags } of BLOCKS) {
    const { index, 0: begins = "" } = open.exec(text) ?? {};
    if (index === undefined) continue;
    const [inside = ""] = text.slice(index + begins.length).split(close, 1);
    return { code: inside.trim(), before: text.slice(0, index).trim(), tags };
  }
  return undefined;
}

function codeIn(text: string, work: Work) {
  const block = blockIn(text);
  const pair = block === undefined && /^\s{0,64}\{/.test(text) ? jsonValue(text, work) : undefined;
  if (!isObject(pair) || typeof pair.thought !== "string" || typeof pair.code !== "string") return block;
  if (Object.keys(pair).length !== 2) return undefined;
  return { code: pair.code.trim(), before: pair.thought.trim(), tags: undefined };
}

/** `<path>`, `<invoke name="find">`, `<function=find>`. */
const ELEMENT = String.raw`<(\w{1,64})(?:(?:[ \t]{1,4}name[ \t]{0,4}=[ \t]{0,4}"|=)([\w.:-]{1,64})"?)?>`;
const CALLS = new RegExp(String.raw`(?:^|\n)[ \t]{0,8}${ELEMENT}`, "g");
const PARAMETER = new RegExp(String.raw`^\s{0,64}${ELEMENT}`);
/** A tag that is a tool has an underscore, for `<table>` is an answer. */
const TOOL_TAG = /^[a-z]+_[a-z0-9_]+$/;
const RESULT = "result";

/** Cline, Roo Code, OpenHands, models that are asked for XML. */
export const markupCalls: Dialect = {
  name: "markup-calls",
  read(text, _, work) {
    if (!text.includes("</")) return undefined;
    const named = elementsIn(text, true, work);
    const elements = named.length > 0 ? named : elementsIn(text, false, work);
    const [first] = elements;
    return first && [{ calls: elements.map(({ call }) => call), text: text.slice(0, first.at).trim() }];
  },
  finishNote({ instructions }) {
    const end = lastCallIn(instructions);
    return end && `Take no further action but ${end.tool}, with your whole answer as its ${end.parameter ?? RESULT}.`;
  },
  frame({ sample, instructions }) {
    const end = lastCallIn(instructions);
    if (end === undefined) return undefined;
    const { tool, parameter = RESULT } = end;
    const named = [...sample.matchAll(CALLS)].find(([, , name]) => name !== undefined);
    if (named === undefined) return { open: `<${tool}>\n<${parameter}>`, close: `</${parameter}>\n</${tool}>` };
    const [opening, tag, latest = ""] = named;
    const inside = opening.includes('"') ? `<parameter name="${parameter}">` : `<parameter=${parameter}>`;
    return { open: `${opening.trim().replace(latest, tool)}\n${inside}`, close: `</parameter>\n</${tag}>` };
  },
};

function elementsIn(text: string, isNamed: boolean, work: Work) {
  const elements: { readonly at: number; readonly call: Call }[] = [];
  const fits = ([, tag = "", name]: RegExpExecArray) => (isNamed ? name !== undefined : TOOL_TAG.test(tag) && !name);
  let end = 0;
  for (const match of [...text.matchAll(CALLS)].filter(fits).slice(0, MAX_CALLS)) {
    const { 0: opening, 1: tag = "", 2: tool = tag, index: at } = match;
    if (at < end) continue;
    const start = at + opening.length;
    const close = text.indexOf(`</${tag}>`, start);
    // One that a stop sequence has cut off lacks its end.
    const args = argsIn(text.slice(start, close === -1 ? undefined : close), isNamed, work);
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
