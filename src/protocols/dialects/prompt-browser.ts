import { alternatives } from "../../languages/languages.ts";
import type { Call, Step } from "../../step.ts";
import { isObject, jsonText, parseJson } from "../json/json.ts";
import { tagged } from "./prompt-sections.ts";
import { ordinals, opaqueStep } from "./prompt-turns.ts";
import type { PromptHistory } from "./prompts.ts";

/** Names of the sections that browser agents write; a row for each habit. */
const HISTORIES = ["agent_history", "action_history", "previous_steps", "step_history", "history"];
const TASKS = ["user_request", "ultimate_task", "task", "goal", "objective", "user_task"];
const STATES = ["browser_state", "current_state", "page_state", "environment_state", "screen", "page"];

/** How one step of such a history begins. */
const STEP = new RegExp(
  String.raw`<step(?:_?(\d{1,9}))?>|^(?:${alternatives("stepLabel")})[ \t]{0,4}(\d{1,4})[ \t]{0,4}[:.)]`,
  "gim",
);
/** The line behind which it is told what came of the step's actions. */
const RESULT =
  /^[ \t]{0,8}(?:action[ \t]{1,4})?(?:(?:results?|outcomes?|observations?)[ \t]{0,8}:?[ \t]{0,8}$|(?:results?|outcomes?|observations?|errors?)[ \t]{0,8}:[ \t]{0,8})/im;
const ACTION = /^[ \t]{0,8}actions?[ \t]{0,8}:(.+)$/im;
/** "Action 1/2:" in front of a result, closing tags, the agent's own remarks. */
const FRAME =
  /^[ \t]{0,8}action[ \t]{0,4}\d{1,4}[ \t]{0,4}\/[ \t]{0,4}\d{1,4}[ \t]{0,4}:[ \t]{0,4}|<\/?(?:step(?:_?\d+)?|s|sys)>/gim;
const FAILED =
  /\b(not available|not found|does not exist|no longer exists|failed|could not|cannot|unable to|error|timed out)\b/i;

/** A prompt in marked sections that tells the steps so far, of most only what came of them (browser-use and its kin). */
export function readBrowserPrompt(text: string): PromptHistory | undefined {
  const history = firstOf(text, HISTORIES);
  const task = firstOf(text, TASKS);
  if (history === undefined || task === undefined) return undefined;
  const state = firstOf(text, STATES);
  const promptSteps = merged(entriesIn(history));
  // Before its first step a prompt is one of these only if it shows where the run stands.
  if (promptSteps.length === 0 && state === undefined) return undefined;
  const page = state === undefined ? "" : lastingPage(state);
  const ordinalOf = ordinals();
  const steps = promptSteps.map(({ number, words, actions, results }, index): Step => {
    const isNewest = index === promptSteps.length - 1;
    const shown = isNewest && page !== "" ? `${results}\n\n${page}` : results;
    const outcome = FAILED.test(results) ? { text: shown, failed: true } : { text: shown };
    const step = opaqueStep(number ?? ordinalOf(`${words}\n${results}`), words, results);
    const calls = (actions ?? step.calls).map((call) => ({ ...call, outcome }));
    return actions === undefined ? { ...step, calls } : { calls, text: "", heard: [] };
  });
  return { task: task.trim(), steps, isUntold: true };
}

function firstOf(text: string, names: readonly string[]): string | undefined {
  for (const name of names) {
    const part = tagged(text, name);
    if (part !== undefined) return part.body;
  }
  return undefined;
}

interface PromptStep {
  /** Where the agent counts its steps. */
  readonly number: number | undefined;
  readonly words: string;
  /** Undefined where only results are told. */
  readonly actions: readonly Call[] | undefined;
  readonly results: string;
}

function entriesIn(history: string): readonly PromptStep[] {
  const marks = [...history.matchAll(STEP)];
  return marks.map((mark, index) => {
    const [label, tag, line] = mark;
    const body = history.slice(mark.index + label.length, marks[index + 1]?.index);
    const result = RESULT.exec(body);
    const words = (result === null ? body : body.slice(0, result.index)).replace(FRAME, "").trim();
    const results =
      result === null
        ? ""
        : body
            .slice(result.index + result[0].length)
            .replace(FRAME, "")
            .trim();
    const action = ACTION.exec(words)?.[1];
    const number = tag ?? line;
    return {
      number: number === undefined ? undefined : Number(number),
      words,
      actions: action === undefined ? undefined : actionsIn(action),
      results,
    };
  });
}

/**
 * Some agents tell of a step in several entries: what they thought, what came of it, how they have found that. Of one that was
 * cut off the end alone is left, which is no step.
 */
function merged(entries: readonly PromptStep[]): readonly PromptStep[] {
  const steps: PromptStep[] = [];
  for (const entry of entries) {
    const before = steps.at(-1);
    const isOfBefore = before !== undefined && entry.number !== undefined && entry.number === before.number;
    if (isOfBefore) steps[steps.length - 1] = joined(before, entry);
    else steps.push(entry);
  }
  const first = steps[0];
  const isCutOff = first?.words === "" && steps.length > 1 && (first.number ?? 0) > 1 && steps[1]?.words !== "";
  return isCutOff ? steps.slice(1) : steps;
}

function joined(one: PromptStep, other: PromptStep): PromptStep {
  const both = (key: "words" | "results") => [one[key], other[key]].filter((text) => text !== "").join("\n");
  return { ...one, words: both("words"), results: both("results"), actions: one.actions ?? other.actions };
}

/** An action as the agent itself notes it: JSON with the name as its key, or any one line. */
export function actionsIn(text: string): readonly Call[] {
  const line = text.trim();
  const value = parseJson(line);
  const list = Array.isArray(value) ? value : [value];
  const calls = list.flatMap((one) => (isObject(one) ? Object.entries(one) : []));
  if (calls.length > 0) return calls.map(([tool, args]) => ({ tool, args: jsonText(args) ?? "" }));
  const match = /^([\w.-]{1,64})[ \t]{0,4}\((.*)\)$/.exec(line);
  return [match === null ? { tool: "action", args: line } : { tool: match[1] ?? "", args: match[2] ?? "" }];
}

/** The page without the numbers that are given to its elements and tabs anew on each visit. */
function lastingPage(state: string): string {
  return state
    .replace(/\*?\[\d+\]\*?/g, "")
    .replace(/\bTab [0-9A-F]{4}\b|\bCurrent tab: \w+/g, "Tab")
    .replace(/^.*\b(page_stats|current (date|time|step))\b.*$/gim, "")
    .trim();
}
