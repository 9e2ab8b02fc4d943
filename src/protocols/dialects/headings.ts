import { alternatives, type Category } from "../../languages/languages.ts";

/** A prompt by its sections. */
export interface Sections {
  /** What the run is for; all else in the prompt changes from step to step. */
  readonly task: string;
  readonly history: string;
  /** What is there now, to which the newest step has led; undefined where that is not shown. */
  readonly page?: string | undefined;
  /** It tells that something has gone wrong. */
  readonly hasFaults?: boolean;
  /** What stands in front of the task: the form, as other agents have it in their system text. */
  readonly instructions?: string;
  /** What it says of the answer's form, where that may be another text each time: it names no run. */
  readonly end?: string;
}

export interface Section {
  readonly start: number;
  readonly end: number;
  readonly body: string;
}

const title = (category: Category) => new RegExp(alternatives(category), "i");

// Prompts that were written with their program's indentation keep it.
const HEADING =
  /^(?:={2,6}|\*\*)(.*)$|^[ \t]{0,8}#{1,6}[ \t](.*)$|^[ \t]{0,8}-{2,8}[ \t]{1,4}(\S.{0,120}?)[ \t]{1,4}-{2,8}[ \t]*$/gm;
const MARKS = /^[\s#=*]+|[\s#=*:]+$/g;
const RULE = /\n[ \t]{0,8}[-=_]{4,200}\s*$/;
/** Longer ones are no titles. In characters. */
const MAX_TITLE = 120;

type Titled = Section & { readonly title: string };

/** The parts under headings (`## Title`, `**Title**`, `== Title ==`, `-- Title --`). A part ends at the next heading. */
function headed(text: string): readonly Titled[] {
  const heads = [...text.matchAll(HEADING)].filter(([line]) => line.length <= MAX_TITLE);
  return heads.map((head, at) => {
    const end = heads[at + 1]?.index ?? text.length;
    const name = (head[1] ?? head[2] ?? head[3] ?? "").replace(MARKS, "");
    // A line of dashes between two parts is no part of the first.
    const body = text.slice(head.index + head[0].length, end).replace(RULE, "\n");
    return { title: name, start: head.index, end, body };
  });
}

export function headedSection(text: string, name: string): Section | undefined {
  return headed(text).find((part) => part.title.toLowerCase() === name.toLowerCase());
}

const HISTORY = title("historyTitle");
const TASK = title("taskTitle");
const STATE = title("stateTitle");
const FAULT = title("faultTitle");
/** What is there now, and no chapter on what pages are. */
const NOW = title("nowTitle");

/** Sections under headings, by what the headings say. */
export function headedSections(text: string): Sections | undefined {
  const parts = HISTORY.test(text) ? withWholePages(headed(text)) : [];
  // The last one that somebody speaks in: instructions in front of it may have a chapter on histories.
  const speaks = ({ body }: Titled) => turnWords(body, "") !== undefined || body.includes("{");
  const histories = parts.filter((part) => HISTORY.test(part.title));
  const history = histories.findLast(speaks) ?? histories[0];
  if (history === undefined) return undefined;
  // Nearest to the history, rather behind it: pages and instructions have headings, too.
  const away = (part: Titled) => Math.abs(parts.indexOf(part) - parts.indexOf(history));
  const nearest = (some: readonly Titled[]) =>
    some
      .toReversed()
      .toSorted((one, other) => away(one) - away(other))
      .slice(0, 1);
  const others = parts.filter((part) => part !== history);
  const [task] = nearest(others.filter((part) => TASK.test(part.title) && part.body.trim() !== ""));
  if (task === undefined) return undefined;
  const isElse = ({ title: name }: Titled) => FAULT.test(name) || HISTORY.test(name) || TASK.test(name);
  const states = others.filter((part) => STATE.test(part.title) && !isElse(part));
  const shown = states.some(isNow) ? states.filter(isNow) : nearest(states);
  const faults = others.filter((part) => FAULT.test(part.title) && !tellsNothing(part.body));
  const told = faults.some(isNow) ? faults.filter(isNow) : faults.filter(({ start }) => start > history.start);
  const page = [...told, ...shown].map(({ body }) => body.trim()).filter((body) => body !== "");
  const end = text.slice(0, Math.min(...[history, task, ...shown].map(({ start }) => start)));
  const isShown = shown.length > 0 && page.length > 0;
  return {
    ...{ task: task.body.trim(), history: history.body, hasFaults: told.length > 0, end },
    ...(isShown && { page: page.join("\n\n") }),
  };
}

function isNow({ title: name }: Titled): boolean {
  return NOW.test(name);
}

/** A page has headings of its own: those that name no part of a prompt belong to it. */
function withWholePages(parts: readonly Titled[]): readonly Titled[] {
  const whole: Titled[] = [];
  for (const part of parts) {
    const before = whole.at(-1);
    const isKnown = [HISTORY, TASK, STATE, FAULT].some((one) => one.test(part.title));
    if (before === undefined || isKnown || !STATE.test(before.title)) whole.push(part);
    else whole[whole.length - 1] = { ...before, end: part.end, body: `${before.body}\n${part.title}${part.body}` };
  }
  return whole;
}

/** How histories name who speaks: the user, the agent, and what the agent has noted for itself. */
const SPEAKER = new RegExp(
  String.raw`^[ \t]{0,8}(?:(${alternatives("userLabel")})|(${alternatives("agentLabel")})|(?:${alternatives("memoLabel")}))[ \t]{0,2}[:：][ \t]{0,2}`,
  "gim",
);
/** Where nothing was done yet, some say so. */
const NOTHING = new RegExp(String.raw`^[\s\W]{0,8}(${alternatives("noHistory")})?[\s\W]{0,8}$`, "i");

function tellsNothing(history: string): boolean {
  return history.length <= 64 && NOTHING.test(history);
}

/**
 * What a history tells that has only the agent's words, turn by turn: undefined where nobody speaks in it. Turns for another
 * task than the newest are of an earlier run.
 */
export function turnWords(history: string, task: string): readonly string[] | undefined {
  if (tellsNothing(history)) return [];
  const marks = [...history.matchAll(SPEAKER)];
  if (!marks.some(([, , agent]) => agent !== undefined)) return undefined;
  const words: string[] = [];
  for (const [at, { 0: label, 1: user, 2: agent, index }] of marks.entries()) {
    const turn = history.slice(index + label.length, marks[at + 1]?.index).trim();
    if (agent !== undefined) words.push(turn);
    else if (user === undefined) words.push(`${words.pop() ?? ""}\n${turn}`.trim());
    else if (turn !== task) words.length = 0;
  }
  return words;
}
