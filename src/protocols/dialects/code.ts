import { isObject, jsonText, parseJson } from "../json/json.ts";
import { toldCalls } from "./calling-tools.ts";
import { type Dialect, type FinalTextTerms, type TextActions, plainDialect } from "./dialect.ts";

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
export const code: Dialect = {
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
