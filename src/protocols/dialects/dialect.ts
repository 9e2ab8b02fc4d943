import { alternatives } from "../../languages/languages.ts";
import type { Call, Step } from "../../step.ts";
import type { Ended } from "../schema-fill/schema-fill.ts";
import type { Work } from "../../work.ts";

export type TextActions = Pick<Step, "calls" | "text">;

export type TextOrigin = "answer" | "history";

export type Manner = { readonly sample: string; readonly instructions: string; readonly work: Work };

/** A habit in which an agent writes actions and outcomes into plain text, and the form in which it accepts an end. */
export interface Dialect {
  readonly name: string;
  /** It ends in its own form even where the request demands JSON of some schema: its fields hold another language. */
  readonly ownsSchema?: true;
  /** Its end is all of the message: nothing may stand before it. */
  readonly isWhole?: true;
  /** Only its history is text: its next actions are calls. */
  readonly isNative?: true;
  /** Whether these instructions ask for this form, so that an end needs it even where the model never wrote it. */
  recognises?(instructions: string): boolean;
  /** The steps that a text tells; undefined for ordinary prose. Of several all but the last carry their outcomes. */
  read(text: string, origin: TextOrigin, work: Work): readonly TextActions[] | undefined;
  lastAction?(manner: Manner): string | undefined;
  /** What the model is told of the form of its last answer, by names alone: an example would be copied. Undefined where any text is an end. */
  finishNote?(manner: Manner): string | undefined;
  frame?(manner: Manner): Frame | undefined;
  /** Missing: any text is an end, in its frame if there is one. */
  finalText?(terms: Manner & { readonly text: string; readonly ended: Ended }): string;
}

export type DialectUse = Manner & { readonly dialect: Dialect };

export type Frame = { readonly open: string; readonly close: string };

export const beginningOf = ({ open }: Frame): string => open.trimEnd();

/** The text in its frame, or in as much of that as it lacks: a model may go on behind the beginning, or begin again. */
export function framedText(frame: Frame, text: string): string {
  const beginning = beginningOf(frame).split("\n").at(-1) ?? "";
  const sentences = text.split(/\n|(?<=[.!?:。])\s/);
  const begins = sentences.some((sentence) => sentence.replace(/^[\s*#>]+/, "").startsWith(beginning));
  if (text.trim() === "" || begins) return text;
  const closes = [frame.close, ...frame.close.split("\n", 1)];
  if (frame.close !== "" && closes.some((close) => text.trimEnd().endsWith(close)))
    return `${frame.open}${text.trimStart()}`;
  return `${frame.open}${text.trim()}${frame.close}`;
}

export const READ_MAX = 32_768;
const ENDS =
  "attempt_completion|final_(?:answer|result)|finish(?:_(?:task|run))?|task_(?:done|complete)|complete_task|submit(?:_answer)?|done|final";
/** Quoted, with its parameters, as an element; or at the head of an entry of a list. */
const LAST_ACTION = new RegExp(
  `[<"'\`=\\n ](${ENDS})(?=[("'\`>])|(?:^|[:#*.)-])[ \\t]{0,2}(?!(?:done|final|submit)\\b)(${ENDS})(?=[ \\t]?(?::|--|$))`,
  "m",
);

export function lastActionIn(instructions: string): string | undefined {
  const [, shown, listed] = LAST_ACTION.exec(instructions.slice(0, READ_MAX)) ?? [];
  return shown ?? listed;
}

/** In a line that lists actions: behind the name of another member it says something else. */
const LISTED = new RegExp(
  `(?:action|${alternatives("actLabel")})[^\\n:]{0,40}:(?:(?!["'\`]\\s{0,4}:)[^\\n]){0,400}?[,|/[(\\s"'\`](${ENDS})["'\`]?(?=[,.;|/\\])}\\s]|$)`,
  "im",
);

export function endWordIn(instructions: string): string | undefined {
  return LISTED.exec(instructions.slice(0, READ_MAX))?.[1];
}

/** As an object calls it, whose names are those of no tool otherwise. */
const CALLED = new RegExp(
  `"(?:action|tool|tool_name|name|function)"\\s{0,8}:\\s{0,8}"(${ENDS}|respon(?:se|d)|answer)",\\s{0,40}"\\w{1,32}"\\s{0,8}:\\s{0,8}\\{\\s{0,40}"(\\w{1,64})"`,
);

/** With the first parameter that is shown for it: in an object, as an element inside, in a signature, or in what is said of it. */
export function lastCallIn(instructions: string) {
  const [, called, member] = CALLED.exec(instructions.slice(0, READ_MAX)) ?? [];
  if (called !== undefined) return { tool: called, parameter: member };
  const tool = lastActionIn(instructions);
  if (tool === undefined) return undefined;
  const shapes = [
    String.raw`<(?:\w{1,32} name="|\w{1,32}=)?${tool}"?>\s{0,16}<(?:\w{1,32}(?: name="|=))?(\w{1,64})"?>`,
    String.raw`\b${tool}\(\s{0,4}(\w{1,64})`,
    String.raw`\b${tool}\b[\s\S]{0,300}?(?:"(?=\w{1,64}"[ \t]?:)|\(1\) |\((?=\w{1,64}: ))(\w{1,64})`,
  ];
  const shown = shapes.map((shape) => new RegExp(shape).exec(instructions.slice(0, READ_MAX))?.[1]);
  return { tool, parameter: shown.find((one) => one !== undefined) };
}

export type Message =
  | { readonly part: "instruction" | "user"; readonly text: string }
  /** Calls may carry outcomes: a server runs its own tools. */
  | { readonly part: "assistant"; readonly text: string; readonly calls: readonly Call[] }
  | ResultMessage;

export interface ResultMessage {
  readonly part: "result";
  readonly text: string;
  readonly id?: string | undefined;
  readonly tool?: string | undefined;
  readonly failed?: boolean;
}
