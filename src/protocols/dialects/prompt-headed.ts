import { alternatives, type Category } from "../../languages/languages.ts";
import type { Step } from "../../step.ts";
import { containerEnd, isObject, jsonText, parseJson, stringIn } from "../json/json.ts";
import { jsonActions } from "./json-actions.ts";
import { headed, type PromptSection } from "./prompt-sections.ts";
import { ordinals, tellsNothing, opaqueStep, turnWords } from "./prompt-turns.ts";
import type { PromptHistory } from "./prompts.ts";

const title = (category: Category): RegExp => new RegExp(alternatives(category), "i");

const HISTORY = title("historyTitle");
const TASK = title("taskTitle");
const STATE = title("stateTitle");
const FAULT = title("faultTitle");
/** What is there now, and no chapter on what pages are. */
const NOW = title("nowTitle");
/** Where the answer is to be actions as JSON, the prompt says so, or shows one. */
const ASKS_FOR_ACTIONS = /["'`]actions?["'`]/;
/** Entries read at most: a prompt is cut by its author long before. */
const MAX_ENTRIES = 200;

type Titled = PromptSection & { readonly title: string };

/** A prompt under headings that tells the steps so far, as JSON of what was done or in words alone, and shows the page that the newest has led to. */
export function readHeadedPrompt(text: string): PromptHistory | undefined {
  if (!HISTORY.test(text)) return undefined;
  const parts = withWholePages(headed(text));
  const at = historyAt(parts);
  const history = parts[at];
  const task = taskBeside(parts, at);
  if (history === undefined || task === undefined) return undefined;
  const shown = shownIn(parts, history);
  const sections = { history, task, page: bodiesOf(shown, "\n\n"), faults: bodiesOf(faultsIn(parts, history), "\n") };
  const prompt = promptActions(sections) ?? (ASKS_FOR_ACTIONS.test(text) ? promptWords(sections) : undefined);
  const variable = Math.min(...[history, task, ...shown].map(({ start }) => start));
  return prompt && { ...prompt, form: text.slice(0, variable) };
}

interface Sections {
  readonly history: Titled;
  readonly task: Titled;
  readonly page: string;
  /** What has gone wrong with the newest. */
  readonly faults: string;
}

function promptActions({ history, task, page }: Sections): PromptHistory | undefined {
  const actions = entriesIn(history.body).flatMap((entry) => jsonActions.read(entry, "history") ?? []);
  if (actions.length === 0) return undefined;
  const steps = actions.map(({ calls, text: words }, index): Step => {
    const isNewest = index === actions.length - 1 && page !== "";
    const outcome = { text: page };
    return { calls: isNewest ? calls.map((call) => ({ ...call, outcome })) : calls, text: words, heard: [] };
  });
  return { task: task.body.trim(), steps };
}

/** Of each turn only what was said is told. A page has to be shown: it is what came of the newest. */
function promptWords({ history, task, page, faults }: Sections): PromptHistory | undefined {
  if (page === "") return undefined;
  const aim = task.body.trim();
  const words = tellsNothing(history.body) ? [] : turnWords(history.body, aim);
  if (words === undefined) return undefined;
  const ownWords = words.slice(-MAX_ENTRIES);
  const ordinalOf = ordinals();
  const steps = ownWords.map((words, index): Step => {
    const step = opaqueStep(ordinalOf(words), words, "");
    if (index < ownWords.length - 1) return step;
    const outcome = faults === "" ? { text: page } : { text: `${faults}\n\n${page}`, failed: true };
    return { ...step, calls: step.calls.map((call) => ({ ...call, outcome })) };
  });
  return { task: aim, steps, isUntold: true };
}

/** The last one that somebody speaks in: instructions in front of it may have a chapter on histories. */
function historyAt(parts: readonly Titled[]): number {
  const index = parts.findLastIndex(
    ({ title, body }) =>
      HISTORY.test(title) && (tellsNothing(body) || turnWords(body, "") !== undefined || body.includes("{")),
  );
  return index === -1 ? parts.findIndex(({ title }) => HISTORY.test(title)) : index;
}

/** The nearest to the history, rather behind it: pages and instructions have headings, too. */
function taskBeside(parts: readonly Titled[], history: number): Titled | undefined {
  const isTask = (part: Titled | undefined) => part !== undefined && TASK.test(part.title) && part.body.trim() !== "";
  for (let away = 1; away < parts.length; away++) {
    const section = [parts[history + away], parts[history - away]].find(isTask);
    if (section !== undefined) return section;
  }
  return undefined;
}

/** A page has headings of its own: those that name no part of a prompt belong to it. */
function withWholePages(parts: readonly Titled[]): readonly Titled[] {
  const whole: Titled[] = [];
  for (const part of parts) {
    const before = whole.at(-1);
    const isPage = before !== undefined && STATE.test(before.title) && !isKnown(part);
    if (isPage)
      whole[whole.length - 1] = { ...before, end: part.end, body: `${before.body}\n${part.title}${part.body}` };
    else whole.push(part);
  }
  return whole;
}

function isKnown({ title }: Titled): boolean {
  return HISTORY.test(title) || TASK.test(title) || STATE.test(title) || FAULT.test(title);
}

/** The parts that show the page: those that say so, or else the one nearest to the history. */
function shownIn(parts: readonly Titled[], history: Titled): readonly Titled[] {
  const sections = parts.filter((part) => isShown(part) && part !== history);
  const now = sections.filter(({ title }) => NOW.test(title));
  const away = ({ start }: Titled) => Math.abs(start - history.start);
  return now.length > 0 ? now : sections.toSorted((one, other) => away(one) - away(other)).slice(0, 1);
}

function isShown({ title }: Titled): boolean {
  return STATE.test(title) && !FAULT.test(title) && !HISTORY.test(title) && !TASK.test(title);
}

function faultsIn(parts: readonly Titled[], history: Titled): readonly Titled[] {
  const faults = parts.filter((part) => FAULT.test(part.title) && part !== history && !tellsNothing(part.body));
  const now = faults.filter(({ title }) => NOW.test(title));
  return now.length > 0 ? now : faults.filter(({ start }) => start > history.start);
}

function bodiesOf(parts: readonly Titled[], between: string): string {
  const bodies = parts.map(({ body }) => body.trim()).filter((body) => body !== "");
  return bodies.join(between);
}

/** Braces that begin no object are passed over, up to so many: each costs a look at the text behind it. */
const MAX_STRAY = 32;

/** The objects with actions in a text, in order, each out of whatever it is wrapped in. */
function entriesIn(body: string): readonly string[] {
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
  if (text?.includes('"action') === true && jsonActions.read(text, "history") !== undefined) return [text];
  if (!isObject(value) || depth >= MAX_WRAPS) return [];
  return Object.values(value).flatMap((member) => actionTexts(member, depth + 1));
}
