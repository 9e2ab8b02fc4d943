import { fieldsOf } from "./dialect.ts";
import type { PromptSection } from "./prompt-sections.ts";
import type { PromptForm } from "./prompts.ts";

/** Finds the parts of a prompt; undefined where it is no prompt of that form. */
export type FindParts = PromptForm["parts"];

/** Fields under headings of their own. Only a prompt that asks for the next tool is a step of the run. */
export function fieldParts(field: string, history: string): FindParts {
  const heading = `[[ ## ${field} ## ]]`;
  const historyField = new RegExp(`^(${history}|completed|next_\\w+|(thought|tool_name|tool_args|observation)_\\d+)$`);
  return (text) => {
    const fields = text.includes(heading) ? fieldsOf(text) : undefined;
    if (fields?.has(history) !== true) return undefined;
    const inputs = [...fields].filter(([name]) => !historyField.test(name)).map(([, value]) => value);
    return { task: inputs.join("\n"), history: text };
  };
}

/** Sections, each by the names that it may have. @param isLed what stands before them are instructions, and no part of the run */
export function sectionParts(
  find: (text: string, name: string) => PromptSection | undefined,
  names: Readonly<Record<"history" | "task" | "page", readonly string[]>>,
  isLed = false,
): FindParts {
  return (text) => {
    const first = (all: readonly string[]) => {
      for (const name of all) {
        const section = find(text, name);
        if (section !== undefined) return section;
      }
      return undefined;
    };
    const history = first(names.history);
    const task = history && first(names.task);
    if (history === undefined || task === undefined) return undefined;
    const page = first(names.page);
    const start = Math.min(history.start, task.start, page?.start ?? text.length);
    return {
      task: task.body.trim(),
      history: history.body,
      page: page?.body,
      ...(isLed && { instructions: text.slice(0, start).trim() }),
    };
  };
}

/** A question, and the steps behind it. */
export function questionParts(marks: Readonly<Record<"begins" | "question" | "step", RegExp>>): FindParts {
  return (text) => {
    if (!marks.step.test(text)) return undefined;
    const begins = [...text.matchAll(marks.begins)].at(-1);
    const from = begins === undefined ? 0 : begins.index + begins[0].length;
    const rest = text.slice(from);
    const questions = [...rest.matchAll(marks.question)];
    // Without a beginning only the last question's steps are the run's.
    const question = begins === undefined ? questions.at(-1) : questions[0];
    if (question === undefined) return undefined;
    const section = rest.slice(question.index + question[0].length);
    const steps = marks.step.exec(section);
    if (steps === null) return undefined;
    return {
      task: section.slice(0, steps.index).trim(),
      history: section.slice(steps.index),
      instructions: text.slice(0, from + question.index).trim(),
    };
  };
}

const FENCE = "```";

/** A labelled state in a fence, and a labelled task beside it. */
export function fencedParts({ state, task, asks }: Readonly<Record<"state" | "task" | "asks", RegExp>>): FindParts {
  return (text) => {
    const label = state.exec(text);
    if (label === null || !asks.test(text)) return undefined;
    const fence = fencedIn(text, label.index + label[0].length);
    const aim = fence && lineBehind(`${text.slice(0, label.index)}\n\n${text.slice(fence.end)}`, task);
    if (fence === undefined || aim === undefined) return undefined;
    return { task: aim, history: "", page: fence.body, form: text.slice(fence.end) };
  };
}

/** The fenced block right behind a label. */
function fencedIn(text: string, from: number): { readonly body: string; readonly end: number } | undefined {
  const open = text.indexOf(FENCE, from);
  if (open === -1 || text.slice(from, open).trim() !== "") return undefined;
  const start = text.indexOf("\n", open) + 1;
  const close = start === 0 ? -1 : text.indexOf(FENCE, start);
  return close === -1 ? undefined : { body: text.slice(start, close).trim(), end: close + FENCE.length };
}

/** What stands behind a label, up to the next blank line. */
function lineBehind(text: string, mark: RegExp): string | undefined {
  const label = mark.exec(text);
  if (label === null) return undefined;
  const answerText = text.slice(label.index + label[0].length).trimStart();
  const end = answerText.indexOf("\n\n");
  const line = (end === -1 ? answerText : answerText.slice(0, end)).trim();
  return line === "" ? undefined : line;
}
