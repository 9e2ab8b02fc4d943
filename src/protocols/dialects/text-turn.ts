import {
  callingTools,
  type Dialect,
  fieldsIn,
  type FinalTextTerms,
  plainDialect,
  type TextActions,
  type TextOrigin,
  toldCalls,
} from "./dialect.ts";
import { jsonActions } from "./json-actions.ts";
import { markupCalls } from "./markup-calls.ts";
import { react } from "./react.ts";
import type { Call } from "../../step.ts";
import { isObject, jsonText, parseJson, stringIn } from "../json/json.ts";

/** How frameworks mark the code that is to be run. Both must stand at the beginning of a line: prose quotes code, too. */
const BLOCKS: readonly { readonly open: RegExp; readonly close: string; readonly tags: readonly [string, string] }[] = [
  { open: /(?:^|\n)[ \t]{0,8}<code>[ \t]{0,8}\n/i, close: "</code>", tags: ["<code>", "</code>"] },
  {
    open: /(?:^|\n)[ \t]{0,8}Code:[ \t]{0,8}\n```(?:python|py)[ \t]{0,8}\n/i,
    close: "```",
    tags: ["Code:\n```py", "```<end_code>"],
  },
];

/** The name that agents of this kind give to their one tool. */
const INTERPRETER = "python_interpreter";
const ENDS = /\bfinal_answer\s*\(/;

/** Code blocks that the agent runs (smolagents' CodeAgent, also as an object of thought and code). It ends by a call of `final_answer`. */
const code: Dialect = {
  name: "code",
  ...plainDialect,
  ownsSchema: true,
  recognises: (instructions) => ENDS.test(instructions) && blockIn(instructions) !== undefined,
  read: (text) => {
    const actions = readCode(text);
    return actions === undefined ? undefined : [actions];
  },
  task: (message) => /^New task:\n([\s\S]*)$/.exec(message)?.[1],
  finishNote: (terms) =>
    `Run no further code. Your whole answer must have this form:\n${shaped("final_answer(<your answer as a Python string>)", terms)}`,
  finalText: (terms) => shaped(`final_answer(${JSON.stringify(terms.text)})`, terms),
};

function readCode(text: string): TextActions | undefined {
  const actions = toldCalls(text);
  const turnText = actions?.text ?? text;
  const block = blockIn(turnText);
  if (block !== undefined) return { calls: [{ tool: INTERPRETER, args: block.code }], text: block.before };
  const pair = thoughtAndCode(turnText);
  if (pair !== undefined) return { calls: [{ tool: INTERPRETER, args: pair.code }], text: pair.thought };
  if (actions === undefined || !actions.calls.every(({ tool }) => tool === INTERPRETER)) return undefined;
  // Its ids are numbers of the run's own calls: they tell no run from another.
  return { calls: actions.calls.map(({ tool, args }) => ({ tool, args: args.trim() })), text: actions.text };
}

/** The first code block; one whose end is missing was cut off there by a stop sequence. */
function blockIn(
  text: string,
): { readonly code: string; readonly before: string; readonly tags: readonly [string, string] } | undefined {
  if (!text.includes("<code>") && !text.includes("Code:")) return undefined;
  for (const { open, close, tags } of BLOCKS) {
    const match = open.exec(text);
    if (match === null) continue;
    const start = match.index + match[0].length;
    const end = text.indexOf(close, start);
    const before = text.slice(0, match.index).trim();
    return { code: text.slice(start, end === -1 ? undefined : end).trim(), before, tags };
  }
  return undefined;
}

function thoughtAndCode(text: string): { readonly thought: string; readonly code: string } | undefined {
  const start = text.search(/\S/);
  if (text[start] !== "{" || !text.includes('"code"')) return undefined;
  const pair = parseJson(text);
  if (!isObject(pair) || typeof pair.thought !== "string" || typeof pair.code !== "string") return undefined;
  return Object.keys(pair).length === 2 ? { thought: pair.thought.trim(), code: pair.code.trim() } : undefined;
}

const THOUGHT = "I give the final answer.";

function shaped(call: string, { sample, instructions }: Pick<FinalTextTerms, "sample" | "instructions">): string {
  if (thoughtAndCode(toldCalls(sample)?.text ?? sample) !== undefined)
    return jsonText({ thought: THOUGHT, code: call }) ?? call;
  const [open, close] = (blockIn(sample) ?? blockIn(instructions))?.tags ?? ["<code>", "</code>"];
  return `Thought: ${THOUGHT}\n${open}\n${call}\n${close}`;
}

const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";
/** Calls of one turn that are read. */
const MAX_CALLS = 64;

/**
 * Calls as JSON between tags (Hermes, Qwen, and the local models that are taught like them): `<tool_call>{"name", "arguments"}`.
 * What came back stands in the next user message, between `<tool_response>` tags. Any other text is an end.
 */
const taggedCalls: Dialect = {
  name: "tagged-calls",
  ...plainDialect,
  recognises: () => false,
  read: (text) => {
    const actions = callsIn(text);
    return actions === undefined ? undefined : [actions];
  },
  finishNote: () => undefined,
  finalText: ({ text }) => text,
};

function callsIn(text: string): TextActions | undefined {
  const start = text.indexOf(OPEN);
  if (start === -1) return undefined;
  const calls: Call[] = [];
  for (let at = start; at !== -1 && calls.length < MAX_CALLS; at = text.indexOf(OPEN, at + OPEN.length)) {
    // One that a stop sequence has cut off lacks its end.
    const end = text.indexOf(CLOSE, at);
    const call = callOf(text.slice(at + OPEN.length, end === -1 ? undefined : end));
    if (call !== undefined) calls.push(call);
  }
  return calls.length === 0 ? undefined : { calls, text: text.slice(0, start).trim() };
}

function callOf(body: string): Call | undefined {
  // Code stands behind the object where a tool takes some.
  const code = body.indexOf("<code>");
  const json = parseJson(code === -1 ? body : body.slice(0, code));
  const tool = isObject(json) ? stringIn(json.name) : undefined;
  if (!isObject(json) || tool === undefined || tool === "") return undefined;
  const args = json.arguments ?? json.parameters ?? {};
  const text = typeof args === "string" ? args : (jsonText(args) ?? "");
  return { tool, args: code === -1 ? text : `${text}\n${body.slice(code)}` };
}

/** Every dialect, in the order in which they are asked: the more a text must have to be one, the earlier. */
export const dialects: readonly Dialect[] = [
  taggedCalls,
  code,
  callingTools,
  fieldsIn,
  markupCalls,
  jsonActions,
  react,
];

/** What an assistant's text tells, and in which dialect. */
export interface TextTurn {
  readonly dialect: Dialect;
  readonly steps: readonly TextActions[];
}

/** The actions that an assistant's text holds; undefined for ordinary prose. */
export function readText(text: string, origin: TextOrigin): TextTurn | undefined {
  for (const dialect of dialects) {
    const steps = dialect.read(text, origin);
    if (steps !== undefined) return { dialect, steps };
  }
  return undefined;
}

/**
 * Actions that the texts of one request may tell; what comes after them is words. Calls in a wire format are bounded by the body's
 * structural characters, which a text has none of. No run comes near: with 64 calls a step these are 256 steps.
 */
const MOST_TOLD = 16_384;

/** Reads the texts of one request, oldest first. */
export function textReader(): typeof readText {
  let told = 0;
  return (text, origin) => {
    const turn = told < MOST_TOLD ? readText(text, origin) : undefined;
    for (const { calls } of turn?.steps ?? []) told += calls.length;
    return turn;
  };
}

/** The dialect that instructions ask for. */
export function demandedDialect(instructions: string): Dialect | undefined {
  return dialects.find((dialect) => dialect.recognises(instructions));
}
