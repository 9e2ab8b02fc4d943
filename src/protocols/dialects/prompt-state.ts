import { alternatives } from "../../languages/languages.ts";
import { opaqueStep } from "./prompt-turns.ts";
import type { PromptHistory } from "./prompts.ts";

/** Labels of the part that shows what is there now, and of the one that says what is to be reached; a row for each habit. */
const STATE = new RegExp(String.raw`^[ \t]{0,8}(?:${alternatives("stateLabel")})[ \t]{0,4}[:：][ \t]{0,8}$`, "im");
const TASK = new RegExp(String.raw`^[ \t]{0,8}(?:${alternatives("taskLabel")})[ \t]{0,4}[:：]`, "im");
/** A judge is shown the same, and asked for a verdict. */
const ASKS_FOR_ACTIONS = /["'`](?:\w{1,24}_)?actions["'`]\s{0,4}:\s{0,4}\[|["'`]tool_name["'`]/;
const FENCE = "```";

/**
 * A prompt that an executor writes anew at each step: what is to be reached, and the state that things are in, with no word of
 * the steps so far. All that it did is what the guard has relayed.
 */
export function readStatePrompt(text: string): PromptHistory | undefined {
  const label = STATE.exec(text);
  if (label === null || !ASKS_FOR_ACTIONS.test(text)) return undefined;
  const from = label.index + label[0].length;
  const state = fencedIn(text, from);
  const task = state === undefined ? undefined : taskIn(`${text.slice(0, label.index)}\n\n${text.slice(state.end)}`);
  if (state === undefined || task === undefined) return undefined;
  const step = opaqueStep(0, "", state.body);
  const calls = step.calls.map((call) => ({ ...call, outcome: { text: state.body } }));
  const form = text.slice(state.end);
  return { task, steps: [{ ...step, calls }], form, isUntold: true, showsState: true };
}

/** The fenced block right behind a label. */
function fencedIn(text: string, from: number): { readonly body: string; readonly end: number } | undefined {
  const open = text.indexOf(FENCE, from);
  if (open === -1 || text.slice(from, open).trim() !== "") return undefined;
  const start = text.indexOf("\n", open) + 1;
  const close = start === 0 ? -1 : text.indexOf(FENCE, start);
  return close === -1 ? undefined : { body: text.slice(start, close).trim(), end: close + FENCE.length };
}

/** Up to the next blank line. */
function taskIn(text: string): string | undefined {
  const label = TASK.exec(text);
  if (label === null) return undefined;
  const said = text.slice(label.index + label[0].length).trimStart();
  const end = said.indexOf("\n\n");
  const task = (end === -1 ? said : said.slice(0, end)).trim();
  return task === "" ? undefined : task;
}
