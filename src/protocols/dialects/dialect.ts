import type { Call } from "../../step.ts";
import type { Ended } from "../schema-fill/schema-fill.ts";
import { isObject, jsonText, objectIn, stringIn } from "../json/json.ts";
import { pythonLiteral } from "./python-literal.ts";

/** Actions that an assistant message tells in plain text. Their outcomes are missing, or told in the same message. */
export interface TextActions {
  readonly calls: readonly Call[];
  /** What was said beside them. */
  readonly text: string;
}

/** Where a text was found: an answer just given, or a message of the history, to which agents add what came back. */
export type TextOrigin = "answer" | "history";

/** What a dialect needs to word an end. */
export interface FinalTextTerms {
  /** What is told to the agent, and through it to the person. */
  readonly text: string;
  readonly ended: Ended;
  /** The latest assistant text that was told in this dialect; empty if there is none yet. */
  readonly sample: string;
  /** What the model was told about the form: system texts and the task. */
  readonly instructions: string;
}

/**
 * Dialect: a habit in which an agent writes actions and outcomes into plain text, and the form in which it accepts an
 * end. Reading and ending stand together: an agent that can be read but not ended only goes on. Pure and wire-neutral.
 */
export interface Dialect {
  readonly name: string;
  /** It ends in its own form even where the request demands JSON of some schema: its fields hold another language. */
  readonly ownsSchema?: true;
  /** Its end is all of the message: nothing may stand before it. */
  readonly isWhole?: true;
  /** Only its history is text: its next actions are calls. */
  readonly isNative?: true;
  /** Whether these instructions ask for this form, so that an end needs it even where the model never wrote it. */
  recognises(instructions: string): boolean;
  /**
   * The actions that an assistant's text tells, as many steps as it tells; undefined for ordinary prose. Several steps
   * only where all but the last carry their outcomes.
   */
  read(text: string, origin: TextOrigin): readonly TextActions[] | undefined;
  /** The user's task in a message that wraps it; undefined where the message is the task. */
  task(message: string): string | undefined;
  /** The action that ends a run told like this sample, if it has a name. */
  lastAction(sample: string): string | undefined;
  /** How the model has to write its last answer, as an instruction to it; undefined where any text is an end. */
  finishNote(terms: Pick<FinalTextTerms, "sample" | "instructions">): string | undefined;
  /** The whole text that this agent takes for an end. */
  finalText(terms: FinalTextTerms): string;
}

/** What most dialects have in common: no message wraps the task, and no action that ends a run has a name. */
export const plainDialect: Pick<Dialect, "task" | "lastAction"> = {
  task: () => undefined,
  lastAction: () => undefined,
};

const MARK = /(?:^|\n)[ \t]*(?:Calling tools|Tool calls):/i;

/** Native tool calls that the agent tells again as text: a Python list of them, with a new id each turn (smolagents). */
export const callingTools: Dialect = {
  name: "calling-tools",
  ...plainDialect,
  isNative: true,
  recognises: () => false,
  read: (text, origin) => {
    const actions = origin === "history" ? toldCalls(text) : undefined;
    return actions === undefined ? undefined : [actions];
  },
  task: (message) => /^New task:\n([\s\S]*)$/.exec(message)?.[1],
  finishNote: () => undefined,
  finalText: ({ text }) => text,
};

/** The calls of a text's list, and what was said before it. */
export function toldCalls(text: string): TextActions | undefined {
  const mark = MARK.exec(text);
  if (mark === null) return undefined;
  const list = pythonLiteral(text, mark.index + mark[0].length)?.value;
  if (!Array.isArray(list)) return undefined;
  const calls = list.flatMap((json): readonly Call[] => callOf(json));
  return calls.length === 0 ? undefined : { calls, text: text.slice(0, mark.index).trim() };
}

function callOf(json: unknown): readonly Call[] {
  if (!isObject(json)) return [];
  const called = isObject(json.function) ? json.function : json;
  const tool = stringIn(objectIn(called).name);
  if (tool === undefined) return [];
  const { arguments: args } = objectIn(called);
  const id = stringIn(json.id);
  const text = typeof args === "string" ? args : (jsonText(args ?? {}) ?? "");
  return [id === undefined ? { tool, args: text } : { id, tool, args: text }];
}

/** Field blocks, each under a heading `[[ ## name ## ]]` (DSPy). A step is the fields of a tool's name and its arguments. */
export const fieldsIn: Dialect = {
  name: "fields",
  ...plainDialect,
  recognises: (instructions) => TOOL_FIELD.test(instructions) && lastTool(instructions) !== undefined,
  read: (text) => {
    const values = fieldsOf(text);
    const call = values && callInFields(values, "next_");
    return call === undefined ? undefined : [{ calls: [call], text: values?.get("next_thought")?.trim() ?? "" }];
  },
  finishNote: (terms) =>
    `Call no further tool. Your whole answer must have this form:\n${shaped("<what you have found out>", terms)}`,
  finalText: (terms) => shaped(terms.text, terms),
};

const HEADING = /\[\[ ## ([A-Za-z_]\w{0,63}) ## \]\]/g;
const TOOL_FIELD = /\[\[ ## next_tool_name ## \]\]/;

/** The fields of a text by name, of equal names the last; undefined where it has none. */
export function fieldsOf(text: string): ReadonlyMap<string, string> | undefined {
  if (!text.includes("[[ ## ")) return undefined;
  const heads = [...text.matchAll(HEADING)];
  return new Map(
    heads.map((head, index): [string, string] => {
      return [head[1] ?? "", text.slice(head.index + head[0].length, heads[index + 1]?.index).trim()];
    }),
  );
}

/** @param prefix of the fields of an answer; those of a trajectory end with a number instead */
export function callInFields(fields: ReadonlyMap<string, string>, prefix: string, suffix = ""): Call | undefined {
  const tool = fields.get(`${prefix}tool_name${suffix}`);
  if (tool === undefined || tool === "") return undefined;
  return { tool, args: fields.get(`${prefix}tool_args${suffix}`) ?? "" };
}

/** Of the tools that a name may stand for, the one that ends the run. */
function lastTool(instructions: string): string | undefined {
  return /Literal\[[^\]\n]{0,4000}'(finish|done|submit|final_answer)'/.exec(instructions)?.[1];
}

function shaped(thought: string, { instructions }: Pick<FinalTextTerms, "instructions">): string {
  const values = [
    ["next_thought", thought],
    ["next_tool_name", lastTool(instructions) ?? "finish"],
    ["next_tool_args", "{}"],
  ];
  return [...values.map(([name, value]) => `[[ ## ${name} ## ]]\n${value}\n`), "[[ ## completed ## ]]"].join("\n");
}
