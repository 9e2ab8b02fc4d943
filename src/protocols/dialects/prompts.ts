import { alternatives } from "../../languages/languages.ts";
import type { Conversation, Outcome, Step } from "../../step.ts";
import type { Work } from "../../work.ts";
import { joinTexts } from "../../text/text-span.ts";
import { type Json, isObject } from "../json/json.ts";
import type { ParsedRequest } from "../protocol.ts";
import { nameWithInput, writtenCalls } from "./blocks.ts";
import type { TextActions } from "./dialect.ts";
import type { Sections } from "./sections.ts";
import { piecesOf, fencedSections, headedSections, namedSections, questionSections, turnWords } from "./sections.ts";
import { argsText, jsonActions, objectsIn } from "./json-actions.ts";
import { react, TOOL_FIELD } from "./text-turn.ts";

/** One form in which agents tell their history in one prompt that they write anew at each step. */
interface PromptRow {
  /** Its sections; undefined for other texts. What pages and results say is cut out before the task is looked for. */
  readonly sections: (text: string, isLed: boolean) => Sections | undefined;
  readonly entry: EntryMarks | ((sections: Sections, work: Work) => readonly Entry[] | undefined);
  /** Its marks tell what came of steps, with the page that the newest has led to, and hardly ever what they did. */
  readonly isUntold?: true;
  /** It tells no more than the state that the newest step has led to. */
  readonly showsState?: true;
}

type EntryMarks = { readonly step: RegExp; readonly action: RegExp; readonly result: RegExp };

interface Entry extends Partial<TextActions> {
  readonly text: string;
  readonly number?: number | undefined;
  readonly results?: string | undefined;
}

/** How an operator describes prompts: names of sections (a tag or a heading), and how the lines begin that tell a step. */
type PromptMarkers = Readonly<Record<"history" | "task" | "step" | "action" | "result", string>> & {
  readonly state?: string;
};

const readLabelled = ({ history }: Sections, work: Work) => react.read(history, "history", work);

/** The more particular a form is, the earlier it is tried. */
const ROWS: readonly PromptRow[] = [
  { sections: fieldSections, entry: readLabelled },
  // Tags around the steps so far, of which most tell only what came of them (browser-use and its kin).
  {
    sections: namedSections({
      history: ["agent_history", "action_history", "previous_steps", "step_history", "history"],
      task: ["user_request", "ultimate_task", "task", "goal", "objective", "user_task"],
      page: ["browser_state", "current_state", "page_state", "environment_state", "screen", "page"],
    }),
    entry: {
      step: new RegExp(
        String.raw`<step(?:_?(\d{1,9}))?>|^(?:${alternatives("stepLabel")})[ \t]{0,4}(\d{1,4})[ \t]{0,4}[:.)]`,
        "gim",
      ),
      action: /^[ \t]{0,8}actions?[ \t]{0,8}:/im,
      result:
        /^[ \t]{0,8}(?:action[ \t]{1,4})?(?:(?:results?|outcomes?|observations?)[ \t]{0,8}:?[ \t]{0,8}$|(?:results?|outcomes?|observations?|errors?)[ \t]{0,8}:[ \t]{0,8})/im,
    },
    isUntold: true,
  },
  // Labelled steps behind the question, in the prompt itself (LangChain's classic ReAct agents).
  { sections: questionSections, entry: readLabelled },
  // Headings, and under one of them the steps so far: objects of what was done, or of each turn only what was said. Then a page
  // has to be shown: it is what came of the newest. Which actions led to it is known by the answers.
  {
    sections: headedSections,
    entry({ history, task, page }, work) {
      const acts = objectsIn(history, work).flatMap(({ object }) => actionEntries(object, 0, work));
      if (acts.length > 0 || page === undefined) return acts.length > 0 ? acts : undefined;
      return turnWords(history, task)?.map((text) => ({ text }));
    },
  },
  // What is to be reached, and the state that things are in, with no word of the steps so far: all that an executor did is what
  // the guard has relayed.
  { sections: fencedSections, entry: () => [{ number: 0, text: "" }], showsState: true },
];

/** Fields of a trajectory (DSPy's ReAct). Only a prompt that asks for the next tool is a step of the run. */
function fieldSections(text: string): Sections | undefined {
  const [before = "", behind] = text.includes(TOOL_FIELD) ? text.split("[[ ## trajectory ## ]]", 2) : [];
  const history = behind?.replace(/\nRespond with the corresponding output fields[^\n]*\s*$/, "");
  return history === undefined ? undefined : { task: before.replace(/\[\[ ## \w{1,64} ## \]\]/g, "").trim(), history };
}

function markedRow({ history, task, state, step, action, result }: PromptMarkers): PromptRow {
  const lines = (label: string, flags: string) =>
    new RegExp(
      String.raw`^[ \t]{0,8}${label.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}[ \t]{0,4}(\d{0,6})[ \t]{0,4}[:.)>\]-]{0,2}[ \t]{0,4}`,
      flags,
    );
  const names = { history: [history], task: [task], page: state === undefined ? [] : [state] };
  return {
    sections: namedSections(names, true),
    entry: { step: lines(step, "gim"), action: lines(action, "im"), result: lines(result, "im") },
  };
}

/** A request can do without a look through all that somebody has said before the first answer. A fiftieth of a second. */
const MOST_WORK = 700_000;

/** What the messages in front of a run's first turn tell, where one of them is a prompt: not a question, a task, a document. */
export function readPrompt(opening: readonly string[], isLed: boolean, work: Work, rows = ROWS) {
  const looking = work.part(MOST_WORK);
  for (const text of opening) {
    if (!looking.spend(text.length)) return undefined;
    for (const row of rows) {
      const sections = row.sections(text, isLed);
      const entries = sections && entriesOf(sections, row, work);
      if (sections !== undefined && entries !== undefined) return toldBy(row, sections, entries);
    }
  }
  return undefined;
}

function toldBy(row: PromptRow, sections: Sections, entries: readonly Entry[]) {
  const { task, instructions = "", end } = sections;
  const counts = new Map<string, number>();
  const steps = entries.map((entry): Step => {
    const { number, text, calls, results = "" } = entry;
    const outcome = outcomeOf(entry, entry === entries.at(-1) ? sections : undefined, row.isUntold);
    // What is not told is told from what is told in equal words; where a history is cut, what is left keeps its number.
    const told = `${text}\n${results}`;
    const count = counts.get(told) ?? 0;
    counts.set(told, count + 1);
    const act = { step: number ?? count, ...(results !== "" && { told: results }) };
    const acts = calls ?? [{ tool: "action", args: JSON.stringify(act) }];
    const answered = outcome === undefined ? acts : acts.map((call) => ({ ...call, outcome }));
    return { calls: answered, text, heard: [], ...(calls === undefined && { isUntold: true }) };
  });
  const isUntold = row.isUntold || (typeof row.entry === "function" && steps.every((step) => step.isUntold));
  const flags = { ...(isUntold && { isUntold }), ...(row.showsState && { showsState: row.showsState }) };
  const conversation: Conversation = { system: instructions, opening: [task], steps, ...flags };
  // The step before the one that led to a state is known by what was relayed.
  const places = row.showsState ? [0, 0] : steps.map(() => 0);
  return { conversation, places, ...(end !== undefined && { form: end }) };
}

export function readMarked(request: ParsedRequest, markers: readonly PromptMarkers[]): ParsedRequest {
  const { system, opening, steps, isUntold } = request.conversation;
  if (steps.length > 0 || isUntold) return request;
  const read = readPrompt(opening, true, request.work, markers.map(markedRow));
  if (read === undefined) return request;
  const told = { ...read.conversation, system: joinTexts([system, read.conversation.system]) };
  return { ...request, hasTextActions: true, conversation: { ...told, isPrompt: true } };
}

/** Entries read at most: a prompt is cut by its author long before. */
const MAX_ENTRIES = 200;
const FRAME =
  /^[ \t]{0,8}action[ \t]{0,4}\d{1,4}[ \t]{0,4}\/[ \t]{0,4}\d{1,4}[ \t]{0,4}:[ \t]{0,4}|<\/?(?:step(?:_?\d+)?|s|sys)>/gim;

function entriesOf(sections: Sections, { entry: marks, isUntold }: PromptRow, work: Work) {
  if (typeof marks === "function") return marks(sections, work)?.slice(-MAX_ENTRIES);
  const entries: Entry[] = [];
  for (const { mark, body } of piecesOf(sections.history, marks.step)) {
    const entry = entryIn(body, marks, isUntold === true, work);
    const number = mark[1] || mark[2] ? Number(mark[1] || mark[2]) : undefined;
    const before = number === undefined || entries.at(-1)?.number !== number ? undefined : entries.pop();
    const both = (key: "text" | "results") => [before?.[key], entry[key]].filter((text) => text).join("\n");
    // Some agents tell of a step in several entries: what they thought, what came of it, how they have found that.
    entries.push(before ? { ...entry, ...before, text: both("text"), results: both("results") } : { ...entry, number });
  }
  const [first, second] = entries;
  // Of one that was cut off the end alone is left, which is no step.
  const isCutOff =
    isUntold && first?.text === "" && (first.number ?? 0) > 1 && second !== undefined && second.text !== "";
  // Before its first step a prompt is one of these only if it shows where the run stands.
  if (entries.length === 0 && !(isUntold && sections.page !== undefined)) return undefined;
  return entries.slice(isCutOff ? 1 : 0);
}

function entryIn(body: string, { action, result }: EntryMarks, isUntold: boolean, work: Work): Entry {
  const [told, results = ""] = split(body, result);
  const [text, done = isUntold ? undefined : text] = split(told, action);
  if (done === undefined) return { text, results };
  const calls = writtenCalls(done, work);
  const noted = nameWithInput(done) ?? { tool: "action", args: done };
  return { text: isUntold ? "" : text, calls: calls.length > 0 ? calls : [noted], results };
}

function split(text: string, mark: RegExp): readonly [before: string, behind?: string] {
  const { index, 0: found = "" } = mark.exec(text) ?? {};
  const bare = (part: string) => part.replace(FRAME, "").trim();
  return index === undefined ? [bare(text)] : [bare(text.slice(0, index)), bare(text.slice(index + found.length))];
}

const MAX_WRAPS = 3;

function actionEntries(value: Json, depth: number, work: Work): readonly Entry[] {
  const text = isObject(value) || typeof value === "string" ? argsText(value) : "";
  const actions = text.includes('"action') ? jsonActions.read(text, "history", work) : undefined;
  if (actions !== undefined || !isObject(value) || depth >= MAX_WRAPS) return actions ?? [];
  return Object.values(value).flatMap((member) => actionEntries(member, depth + 1, work));
}

const FAILED =
  /\b(not available|not found|does not exist|no longer exists|failed|could not|cannot|unable to|error|timed out)\b/i;

function outcomeOf({ results }: Entry, newest: Sections | undefined, isUntold?: true): Outcome | undefined {
  const page = newest?.page;
  // Of results alone nobody could tell whether they failed.
  if (isUntold && results !== undefined) {
    const text = [results, lastingPage(page ?? "")].filter((some) => some !== "").join("\n\n");
    return FAILED.test(results) ? { text, failed: true } : { text };
  }
  // What is told of a step stays as it is, and the state is another each time: only a step without a result is judged by that.
  if (results || page === undefined) return results === undefined ? undefined : { text: results };
  return newest?.hasFaults ? { text: page, failed: true } : { text: page.trim() };
}

/** The page without the numbers that are given to its elements and tabs anew on each visit. */
export function lastingPage(state: string): string {
  return state
    .replace(/\*?\[\d+\]\*?/g, "")
    .replace(/\bTab [0-9A-F]{4}\b|\bCurrent tab: \w+/g, "Tab")
    .replace(/^.*\b(page_stats|current (date|time|step))\b.*$/gim, "")
    .trim();
}
