import { alternatives } from "../../languages/languages.ts";
import {
  browserEntries,
  fieldEntries,
  labelledEntries,
  markedEntries,
  objectEntries,
  spokenEntries,
} from "./prompt-entries.ts";
import { headedParts } from "./prompt-headings.ts";
import { fencedParts, fieldParts, questionParts, sectionParts } from "./prompt-parts.ts";
import { tagged, tagOrHeading } from "./prompt-sections.ts";
import type { PromptForm } from "./prompts.ts";

/** How one agent marks the parts of a prompt that it writes anew at each step: as an operator tells it of an agent unknown here. */
export interface PromptMarkers {
  /** Names of sections, each a tag (`<name>`) or a heading: the steps so far, what the run is for, what is there now. */
  readonly history: string;
  readonly task: string;
  readonly state?: string;
  /** How the line begins that begins a step, the line of what was done in it, and the line of what came of it. */
  readonly step: string;
  readonly action: string;
  readonly result: string;
}

const asTold: PromptForm["outcome"] = (results) => (results === undefined ? undefined : { text: results });

/** Only the page is told that the newest step has led to. */
const asShown: PromptForm["outcome"] = (_, { page, hasFaults = false }, isNewest) => {
  if (!isNewest || page === undefined) return undefined;
  return hasFaults ? { text: page, failed: true } : { text: page };
};

const FAILED =
  /\b(not available|not found|does not exist|no longer exists|failed|could not|cannot|unable to|error|timed out)\b/i;

/** A judge is shown the same as an executor, and asked for a verdict. */
const ASKS_FOR_LIST = /["'`](?:\w{1,24}_)?actions["'`]\s{0,4}:\s{0,4}\[|["'`]tool_name["'`]/;

/** The more particular a form is, the earlier it is tried. */
export const promptForms: readonly PromptForm[] = [
  // Fields of a trajectory, numbered from 0 on (DSPy's ReAct).
  { parts: fieldParts("next_tool_name", "trajectory"), entries: fieldEntries, outcome: asTold },
  // Marked sections that tell the steps so far, of most only what came of them (browser-use and its kin).
  {
    parts: sectionParts(tagged, {
      history: ["agent_history", "action_history", "previous_steps", "step_history", "history"],
      task: ["user_request", "ultimate_task", "task", "goal", "objective", "user_task"],
      page: ["browser_state", "current_state", "page_state", "environment_state", "screen", "page"],
    }),
    entries: browserEntries,
    outcome(results = "", { page = "" }, isNewest) {
      const shown = isNewest ? lastingPage(page) : "";
      const text = shown === "" ? results : `${results}\n\n${shown}`;
      return FAILED.test(results) ? { text, failed: true } : { text };
    },
    isUntold: true,
  },
  // Labelled steps behind the question, in the prompt itself (LangChain's classic ReAct agents). What stands before the word
  // with which the run begins is the form, told by an example.
  {
    parts: questionParts({
      begins: /^[ \t]{0,8}begin\b.{0,200}$/gim,
      question: /^[ \t]{0,8}(?:question|task|input|new input|query|user'?s? (?:request|question))[ \t]{0,8}:/gim,
      step: /^[ \t]{0,8}(?:Thought|Action)[ \t]{0,8}:/m,
    }),
    entries: labelledEntries,
    outcome: asTold,
  },
  // Headings, and under one of them the steps so far: objects of what was done.
  { parts: headedParts(false), entries: objectEntries, outcome: asShown },
  // The same, but of each turn only what was said. A page has to be shown: it is what came of the newest. Which actions led to
  // it is known by the answers; a prompt that was answered in words tells none.
  {
    parts: headedParts(true),
    entries: (parts) => (parts.page === undefined ? undefined : spokenEntries(parts)),
    outcome: asShown,
    isUntold: true,
  },
  // What is to be reached, and the state that things are in, with no word of the steps so far: all that an executor did is what
  // the guard has relayed.
  {
    parts: fencedParts({
      state: new RegExp(String.raw`^[ \t]{0,8}(?:${alternatives("stateLabel")})[ \t]{0,4}[:：][ \t]{0,8}$`, "im"),
      task: new RegExp(String.raw`^[ \t]{0,8}(?:${alternatives("taskLabel")})[ \t]{0,4}[:：]`, "im"),
      asks: ASKS_FOR_LIST,
    }),
    entries: ({ page }) => [{ number: 0, words: "", calls: undefined, results: page }],
    outcome: asTold,
    isUntold: true,
    showsState: true,
  },
];

/** The form that an operator describes. */
export function markedForm(markers: PromptMarkers): PromptForm {
  const { history, task, state } = markers;
  const names = { history: [history], task: [task], page: state === undefined ? [] : [state] };
  return {
    parts: sectionParts(tagOrHeading, names, true),
    entries: (parts) => markedEntries(parts.history, markers),
    // What is told of a step stays as it is, and the state is another each time: only a step without a result is judged by that.
    outcome: (results = "", { page = "" }, isNewest) => ({ text: results === "" && isNewest ? page.trim() : results }),
  };
}

/** The page without the numbers that are given to its elements and tabs anew on each visit. */
function lastingPage(state: string): string {
  return state
    .replace(/\*?\[\d+\]\*?/g, "")
    .replace(/\bTab [0-9A-F]{4}\b|\bCurrent tab: \w+/g, "Tab")
    .replace(/^.*\b(page_stats|current (date|time|step))\b.*$/gim, "")
    .trim();
}
