import type { Call, Step } from "../../step.ts";
import { joinTexts } from "../../text/text-span.ts";
import type { ParsedRequest } from "../protocol.ts";
import { actionsIn } from "./prompt-browser.ts";
import { headed, type PromptSection, tagged } from "./prompt-sections.ts";
import type { PromptHistory } from "./prompts.ts";

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

/** The request with the steps that one of its messages tells in this way; as it is where none does. */
export function readMarked(request: ParsedRequest, rows: readonly PromptMarkers[]): ParsedRequest {
  const { conversation } = request;
  if (conversation.steps.length > 0 || conversation.isUntold === true) return request;
  for (const text of conversation.opening)
    for (const row of rows) {
      const history = readMarkedPrompt(text, row);
      if (history === undefined) continue;
      const system = joinTexts([conversation.system, history.instructions ?? ""]);
      const read = { system, opening: [history.task], steps: history.steps, isPrompt: true } as const;
      return { ...request, hasTextActions: true, conversation: read };
    }
  return request;
}

function readMarkedPrompt(text: string, row: PromptMarkers): PromptHistory | undefined {
  const history = sectionOf(text, row.history);
  const task = sectionOf(text, row.task);
  if (history === undefined || task === undefined) return undefined;
  const state = row.state === undefined ? undefined : sectionOf(text, row.state);
  const markedSteps = entriesIn(history.body, row);
  const steps = markedSteps.map(({ words, actions, results }, index): Step => {
    // What is told of a step stays as it is, and the state is another each time: only a step without a result is judged by that.
    const shown = results === "" && index === markedSteps.length - 1 ? (state?.body.trim() ?? "") : results;
    return { calls: actions.map((call) => ({ ...call, outcome: { text: shown } })), text: words, heard: [] };
  });
  const instructions = text.slice(0, Math.min(history.start, task.start, state?.start ?? text.length)).trim();
  return { task: task.body.trim(), steps, instructions };
}

function sectionOf(text: string, name: string): PromptSection | undefined {
  return tagged(text, name) ?? headed(text).find(({ title }) => title.toLowerCase() === name.toLowerCase());
}

interface MarkedStep {
  readonly words: string;
  /** Where no line tells them, all that is told of the step. */
  readonly actions: readonly Call[];
  readonly results: string;
}

function entriesIn(history: string, { step, action, result }: PromptMarkers): readonly MarkedStep[] {
  const entries: Record<"words" | "action" | "result", string[]>[] = [];
  let part: "words" | "action" | "result" = "words";
  for (const line of history.split("\n")) {
    const begun = behind(line, step);
    if (begun !== undefined) entries.push({ words: [], action: [], result: [] });
    const entry = entries.at(-1);
    if (entry === undefined) continue;
    const done = behind(line, action);
    const came = behind(line, result);
    part = came !== undefined ? "result" : done !== undefined ? "action" : begun !== undefined ? "words" : part;
    entry[part].push(came ?? done ?? begun ?? line);
  }
  return entries.map((entry) => {
    const [words = "", text = "", results = ""] = [entry.words, entry.action, entry.result].map((lines) =>
      lines.join("\n").trim(),
    );
    return { words, actions: actionsIn(text || words), results };
  });
}

/** What stands behind a label at the beginning of a line, its number and punctuation left out; undefined without it. */
function behind(line: string, label: string): string | undefined {
  const said = line.trimStart();
  if (!said.toLowerCase().startsWith(label.toLowerCase())) return undefined;
  return said.slice(label.length).replace(/^[ \t]{0,4}\d{0,6}[ \t]{0,4}[:.)>\]-]{0,2}[ \t]{0,4}/, "");
}
