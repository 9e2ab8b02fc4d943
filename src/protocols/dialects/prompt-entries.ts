import { alternatives } from "../../languages/languages.ts";
import type { Call } from "../../step.ts";
import { containerEnd, isObject, jsonText, parseJson, stringIn } from "../json/json.ts";
import { callInFields, fieldsOf } from "./dialect.ts";
import { jsonActions } from "./json-actions.ts";
import type { PromptMarkers } from "./prompt-forms.ts";
import { tellsNothing, turnWords } from "./prompt-turns.ts";
import type { PromptEntry, PromptParts } from "./prompts.ts";
import { react } from "./react.ts";

/* The ways in which a history is told, each into entries; undefined where it is not told so. */

/** Entries read at most: a prompt is cut by its author long before. */
const MAX_ENTRIES = 200;

/** Fields that are numbered from 0 on. */
export function fieldEntries({ history }: PromptParts): readonly PromptEntry[] | undefined {
  const fields = fieldsOf(history) ?? new Map<string, string>();
  const entries: PromptEntry[] = [];
  for (let index = 0; ; index++) {
    const call = callInFields(fields, "", `_${index}`);
    if (call === undefined) break;
    const results = withoutRequest(fields.get(`observation_${index}`));
    entries.push({ words: fields.get(`thought_${index}`) ?? "", calls: [call], results });
  }
  return entries.length === 0 ? undefined : entries;
}

const REQUEST = "Respond with the corresponding output fields";

/** What the prompt asks for stands behind the last field. */
function withoutRequest(observation: string | undefined): string | undefined {
  const end = observation?.lastIndexOf(REQUEST) ?? -1;
  const isOwnLine = end === 0 || observation?.[end - 1] === "\n";
  return isOwnLine ? observation?.slice(0, end).trim() : observation;
}

/** Labelled lines, what came of each step among them. */
export function labelledEntries({ history }: PromptParts): readonly PromptEntry[] | undefined {
  return react.read(history, "history")?.map(({ text: words, calls }) => ({ words, calls }));
}

/** Objects with actions, each out of whatever it is wrapped in. */
export function objectEntries({ history }: PromptParts): readonly PromptEntry[] | undefined {
  const actions = objectsIn(history).flatMap((entry) => jsonActions.read(entry, "history") ?? []);
  if (actions.length === 0) return undefined;
  return actions.map(({ calls, text: words }) => ({ words, calls }));
}

/** Braces that begin no object are passed over, up to so many: each costs a look at the text behind it. */
const MAX_STRAY = 32;

function objectsIn(body: string): readonly string[] {
  const entries: string[] = [];
  let stray = 0;
  for (let at = body.indexOf("{"); at !== -1 && entries.length < MAX_ENTRIES && stray < MAX_STRAY; ) {
    const end = containerEnd(body, at);
    const value = parseJson(body.slice(at, end));
    if (value === undefined) stray += 1;
    else entries.push(...actionTexts(value, 0));
    at = body.indexOf("{", value === undefined ? at + 1 : end);
  }
  return entries.slice(0, MAX_ENTRIES);
}

/** Turns wrap what was said in members of their own, as an object or as its text. */
const MAX_WRAPS = 3;

function actionTexts(value: unknown, depth: number): readonly string[] {
  const text = isObject(value) ? jsonText(value) : stringIn(value);
  if (text?.includes('"action"') === true && jsonActions.read(text, "history") !== undefined) return [text];
  if (!isObject(value) || depth >= MAX_WRAPS) return [];
  return Object.values(value).flatMap((member) => actionTexts(member, depth + 1));
}

/** Turns of a talk: what the agent has said. */
export function spokenEntries({ history, task }: PromptParts): readonly PromptEntry[] | undefined {
  const words = tellsNothing(history) ? [] : turnWords(history, task);
  return words?.slice(-MAX_ENTRIES).map((words) => ({ words: words, calls: undefined }));
}

/** How one step of a browser agent's history begins. */
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

/** Numbered steps, each with what was thought and what came of it. */
export function browserEntries({ history, page }: PromptParts): readonly PromptEntry[] | undefined {
  const marks = [...history.matchAll(STEP)];
  const entries = marks.map((mark, index) => {
    const [label, tag, line] = mark;
    const number = tag ?? line;
    const body = history.slice(mark.index + label.length, marks[index + 1]?.index);
    return { ...browserEntry(body), number: number === undefined ? undefined : Number(number) };
  });
  const steps = merged(entries);
  // Before its first step a prompt is one of these only if it shows where the run stands.
  if (steps.length === 0 && page === undefined) return undefined;
  return steps.map((step) => (step.calls === undefined ? step : { ...step, words: "" }));
}

interface BrowserEntry extends PromptEntry {
  readonly results: string;
}

function browserEntry(body: string): BrowserEntry {
  const result = RESULT.exec(body);
  const bare = (text: string) => text.replace(FRAME, "").trim();
  const words = bare(result === null ? body : body.slice(0, result.index));
  const results = result === null ? "" : bare(body.slice(result.index + result[0].length));
  const action = ACTION.exec(words)?.[1];
  return { words, calls: action === undefined ? undefined : actionsIn(action), results };
}

/**
 * Some agents tell of a step in several entries: what they thought, what came of it, how they have found that. Of one that was
 * cut off the end alone is left, which is no step.
 */
function merged(entries: readonly BrowserEntry[]): readonly BrowserEntry[] {
  const steps: BrowserEntry[] = [];
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

function joined(one: BrowserEntry, other: BrowserEntry): BrowserEntry {
  const both = (key: "words" | "results") => [one[key], other[key]].filter((text) => text !== "").join("\n");
  return { ...one, words: both("words"), results: both("results"), calls: one.calls ?? other.calls };
}

/** Steps whose lines begin as an operator has told. */
export function markedEntries(history: string, { step, action, result }: PromptMarkers): readonly PromptEntry[] {
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
    const text = (lines: readonly string[]) => lines.join("\n").trim();
    const words = text(entry.words);
    return { words, calls: actionsIn(text(entry.action) || words), results: text(entry.result) };
  });
}

/** What stands behind a label at the beginning of a line, its number and punctuation left out; undefined without it. */
function behind(line: string, label: string): string | undefined {
  const lineText = line.trimStart();
  if (!lineText.toLowerCase().startsWith(label.toLowerCase())) return undefined;
  return lineText.slice(label.length).replace(/^[ \t]{0,4}\d{0,6}[ \t]{0,4}[:.)>\]-]{0,2}[ \t]{0,4}/, "");
}

/** An action as the agent itself notes it: JSON with the name as its key, or any one line. */
function actionsIn(text: string): readonly Call[] {
  const line = text.trim();
  const value = parseJson(line);
  const list = Array.isArray(value) ? value : [value];
  const calls = list.flatMap((one) => (isObject(one) ? Object.entries(one) : []));
  if (calls.length > 0) return calls.map(([tool, args]) => ({ tool, args: jsonText(args) ?? "" }));
  const match = /^([\w.-]{1,64})[ \t]{0,4}\((.*)\)$/.exec(line);
  return [match === null ? { tool: "action", args: line } : { tool: match[1] ?? "", args: match[2] ?? "" }];
}
