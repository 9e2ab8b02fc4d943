import { alternatives, type Category } from "../../languages/languages.ts";
import type { FindParts } from "./prompt-parts.ts";
import { headed, type PromptSection } from "./prompt-sections.ts";
import { tellsNothing, turnWords } from "./prompt-turns.ts";

const title = (category: Category): RegExp => new RegExp(alternatives(category), "i");

const HISTORY = title("historyTitle");
const TASK = title("taskTitle");
const STATE = title("stateTitle");
const FAULT = title("faultTitle");
/** What is there now, and no chapter on what pages are. */
const NOW = title("nowTitle");
type Titled = PromptSection & { readonly title: string };

/** Parts under headings, by what the headings say. @param tellsFaults the page is told with what has gone wrong */
export function headedParts(tellsFaults: boolean): FindParts {
  return (text) => {
    if (!HISTORY.test(text)) return undefined;
    const parts = withWholePages(headed(text));
    const at = historyAt(parts);
    const history = parts[at];
    const task = taskBeside(parts, at);
    if (history === undefined || task === undefined) return undefined;
    const shown = shownIn(parts, history);
    const page = bodiesOf(shown, "\n\n");
    const faults = tellsFaults ? bodiesOf(faultsIn(parts, history), "\n") : "";
    return {
      task: task.body.trim(),
      history: history.body,
      ...(page !== "" && { page: faults === "" ? page : `${faults}\n\n${page}` }),
      hasFaults: faults !== "",
      form: text.slice(0, Math.min(...[history, task, ...shown].map(({ start }) => start))),
    };
  };
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
