import type { Call } from "../../step.ts";
import { isObject, type JsonObject, jsonText, parseJson } from "../json/json.ts";
import { type Dialect, plainDialect, type TextActions, type TextOrigin } from "./dialect.ts";
import { mayHaveLabels, sectionsOf } from "./labels.ts";

/** How frameworks begin to repeat their instructions behind what a tool said. */
const REMINDER =
  /\n\r?\n[ \t]{0,8}(you only have access to the following tools|important: use the following format|use the following format|remember to (use|respond|answer)|(please )?(respond|reply|answer) (only )?in (the following|this) format)/i;

/** A turn without the format reminder that a framework has appended to its outcome: that would make equal outcomes differ. */
function withoutReminder(text: string): string {
  const match = REMINDER.exec(text);
  return match === null ? text : text.slice(0, match.index);
}

/**
 * ReAct: labelled lines (`Thought:`, `Action:`, `Action Input:`, `Observation:`), which many frameworks spell in their
 * own way. What came back is told in the next user message, or behind the action in the same message.
 */
export const react: Dialect = {
  name: "react",
  ...plainDialect,
  recognises: (instructions) =>
    finalLabelIn(instructions) !== undefined && /^\W{0,4}actions?\b[^\n]{0,20}:/im.test(instructions),
  read: readLabels,
  finishNote: ({ instructions }) => {
    const label = finalLabelIn(instructions) ?? FINAL_ANSWER;
    return `Write no further action. Your whole answer must have this form:\n${thoughtFor(label)}${label}: <your answer>`;
  },
  finalText: ({ text, instructions }) => {
    const label = finalLabelIn(instructions) ?? FINAL_ANSWER;
    return `${thoughtFor(label)}${label}: ${text}`;
  },
};

const FINAL_ANSWER = "Final Answer";

/** The label behind which these instructions want the last answer: "Final Answer" before "Answer", one on a line of its own before one in a sentence. */
function finalLabelIn(instructions: string): string | undefined {
  if (/^\W{0,4}final answer\W{0,4}:/im.test(instructions)) return FINAL_ANSWER;
  if (/^\W{0,4}answer\W{0,2}:/im.test(instructions)) return "Answer";
  return /\bfinal answer:/i.test(instructions) ? FINAL_ANSWER : undefined;
}

/** Parsers that look for a mere "Answer:" look for the thought before it. */
function thoughtFor(label: string): string {
  return label === FINAL_ANSWER ? "" : "Thought: I can answer without using any more tools.\n";
}

function readLabels(labelled: string, origin: TextOrigin): readonly TextActions[] | undefined {
  if (!mayHaveLabels(labelled)) return undefined;
  const text = withoutReminder(labelled);
  const sections = sectionsOf(text);
  const steps: { calls: Call[]; text: string; isOver: boolean }[] = [];
  let spoken = 0;
  for (const [index, section] of sections.entries()) {
    if (section.kind === "observation") {
      // In an answer it is imagined: the framework stops reading here and runs the action.
      if (origin === "answer") break;
      const latest = steps.at(-1);
      if (latest === undefined) continue;
      latest.calls = answered(latest.calls, section.body.trim());
      latest.isOver = true;
      spoken = section.start + section.body.length;
    }
    if (section.kind !== "action") continue;
    const next = sections[index + 1];
    const input = next?.kind === "input" ? next.body.trim() : undefined;
    const calls = section.label === "actions" ? listedCalls(section.body.trim()) : [callOf(section.body.trim(), input)];
    const labelled = calls.filter((call) => call !== undefined);
    if (labelled.length === 0) continue;
    const latest = steps.at(-1);
    if (latest === undefined || latest.isOver) {
      steps.push({ calls: labelled, text: text.slice(spoken, section.start).trim(), isOver: false });
    } else latest.calls.push(...labelled);
  }
  return steps.length === 0 ? undefined : steps.map(({ calls, text: words }) => ({ calls, text: words }));
}

/** Of several actions told together, all have this outcome. */
function answered(calls: readonly Call[], text: string): Call[] {
  return calls.map((call) => ({ ...call, outcome: { text } }));
}

const toolName = /^[\p{L}_][\p{L}\p{N}_.:/-]*$/u;
const toolWithInput = /^([\p{L}_][\p{L}\p{N}_.:/-]*)[ ]?(?:\[([\s\S]*)\]|\(([\s\S]*)\))$/u;
/** Longer names are instructions about names ("the action to take, only one of …"). In characters. */
const MAX_NAME = 80;

function callOf(action: string, input: string | undefined): Call | undefined {
  // With an input of its own anything on one line is a name ("Google Search"); alone it must look like one.
  if (input !== undefined) {
    return action === "" || action.length > MAX_NAME || action.includes("\n")
      ? undefined
      : { tool: action, args: input };
  }
  if (action.startsWith("{") || action.startsWith("```")) return blobCall(action);
  const end = action.indexOf("\n");
  const line = (end === -1 ? action : action.slice(0, end)).trim();
  const withInput = toolWithInput.exec(action) ?? toolWithInput.exec(line);
  if (withInput !== null) return { tool: withInput[1] ?? "", args: withInput[2] ?? withInput[3] ?? "" };
  // Lines below the name are an input that goes by a label unknown here: unread, it would make different calls equal.
  return toolName.test(line) ? { tool: line, args: end === -1 ? "" : action.slice(end).trim() } : undefined;
}

const NAMES = ["action", "tool", "tool_name", "name", "function"] as const;
const INPUTS = ["action_input", "tool_input", "input", "arguments", "args", "parameters"] as const;

/** A list of them, each with a mark of its own that is new each time; under this label prose stands as well. */
function listedCalls(text: string): readonly (Call | undefined)[] {
  const list = text.startsWith("[") ? parseJson(text.slice(0, text.lastIndexOf("]") + 1)) : undefined;
  return Array.isArray(list) ? list.map(callIn) : [];
}

function blobCall(text: string): Call | undefined {
  return callIn(parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)));
}

function callIn(blob: unknown): Call | undefined {
  if (!isObject(blob)) return undefined;
  const key = NAMES.find((name) => typeof blob[name] === "string");
  if (key === undefined || blob[key] === FINAL_ANSWER) return undefined;
  // Some tools have several activities.
  const tool = typeof blob.path === "string" ? `${String(blob[key])}.${blob.path}` : String(blob[key]);
  return { tool, args: inputIn(blob, key) };
}

function inputIn(blob: JsonObject, key: string): string {
  const named = INPUTS.find((name) => Object.hasOwn(blob, name));
  const { [key]: _, ...rest } = blob;
  const input = named === undefined ? rest : (blob[named] ?? {});
  return typeof input === "string" ? input : (jsonText(input) ?? "");
}
