import { alternatives, type Category } from "../../languages/languages.ts";

export interface Sections {
  /** What the run is for; all else in the prompt changes from step to step. */
  readonly task: string;
  readonly history: string;
  /** What is there now, to which the newest step has led; undefined where that is not shown. */
  readonly page?: string | undefined;
  readonly hasFaults?: boolean;
  /** What stands in front of the task: the form, as other agents have it in their system text. */
  readonly instructions?: string;
  /** What it says of the answer's form, where that may be another text each time: it names no run. */
  readonly end?: string;
}

type Head = { readonly mark: RegExpExecArray };

/** A piece of a text from a mark up to the next one. Its body is what stands behind the mark. */
export type Section = Head & { readonly start: number; readonly end: number; readonly body: string };

export function cutBy<Known extends Head>(text: string, heads: readonly Known[]): readonly (Known & Section)[] {
  return heads.map((head, at) => {
    const { index: start, 0: begins } = head.mark;
    const end = heads[at + 1]?.mark.index ?? text.length;
    return { ...head, start, end, body: text.slice(start + begins.length, end) };
  });
}

export function piecesOf(text: string, marks: RegExp): readonly Section[] {
  return cutBy(
    text,
    [...text.matchAll(marks)].map((mark) => ({ mark })),
  );
}

/** `## Title`, `**Title**`, `== Title ==`, `-- Title --`. Prompts that were written with their program's indentation keep it. */
const HEADING =
  /^(?:={2,6}|\*\*)(.*)$|^[ \t]{0,8}#{1,6}[ \t](.*)$|^[ \t]{0,8}-{2,8}[ \t]{1,4}(\S.{0,120}?)[ \t]{1,4}-{2,8}[ \t]*$/gm;
const MARKS = /^[\s#=*]+|[\s#=*:]+$/g;
/** A line of dashes between two parts is no part of the first. */
const RULE = /\n[ \t]{0,8}[-=_]{4,200}\s*$/;
/** Longer ones are no titles. In characters. */
const MAX_TITLE = 120;

type Headed = Section & { readonly title: string };

function headed(text: string): readonly Headed[] {
  const heads = [...text.matchAll(HEADING)].flatMap((mark) => {
    const [line, one, two, three] = mark;
    return line.length > MAX_TITLE ? [] : [{ mark, title: (one ?? two ?? three ?? "").replace(MARKS, "") }];
  });
  return cutBy(text, heads).map((section) => ({ ...section, body: section.body.replace(RULE, "\n") }));
}

const titled = (category: Category) => new RegExp(alternatives(category), "i");
const KINDS = [
  ["history", titled("historyTitle")],
  ["task", titled("taskTitle")],
  ["fault", titled("faultTitle")],
  ["state", titled("stateTitle")],
] as const;
/** What is there now, and no chapter on what pages are. */
const NOW = titled("nowTitle");
const isOfNow = ({ title }: Headed) => NOW.test(title);

type Part = Headed & { readonly kind: (typeof KINDS)[number][0] | undefined; readonly at: number };

/** A page has headings of its own: those that name no part of a prompt belong to it. */
function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  for (const section of headed(text)) {
    const kind = KINDS.find(([, name]) => name.test(section.title))?.[0];
    const page = parts.at(-1);
    if (kind !== undefined || page?.kind !== "state") parts.push({ ...section, kind, at: parts.length });
    else parts[parts.length - 1] = { ...page, end: section.end, body: `${page.body}\n${section.title}${section.body}` };
  }
  return parts;
}

export function headedSections(text: string): Sections | undefined {
  const parts = KINDS[0][1].test(text) ? partsOf(text) : [];
  const of = (kind: Part["kind"]) => parts.filter((part) => part.kind === kind);
  // The last one that somebody speaks in: instructions in front of it may have a chapter on histories.
  const speaks = ({ body }: Part) => turnWords(body, "") !== undefined || body.includes("{");
  const history = of("history").findLast(speaks) ?? of("history")[0];
  if (history === undefined) return undefined;
  // Nearest to the history, rather behind it: pages and instructions have headings, too.
  const away = (part: Part) => Math.abs(part.at - history.at);
  const byNearness = (some: readonly Part[]) => some.toReversed().toSorted((one, other) => away(one) - away(other));
  const [task] = byNearness(of("task").filter(({ body }) => body.trim() !== ""));
  if (task === undefined) return undefined;
  const ofNow = (some: readonly Part[], others: readonly Part[]) =>
    some.some(isOfNow) ? some.filter(isOfNow) : others;
  const shown = ofNow(of("state"), byNearness(of("state")).slice(0, 1));
  const faults = of("fault").filter(({ body }) => !tellsNothing(body));
  const later = faults.filter(({ start }) => start > history.start);
  const told = ofNow(faults, later);
  const page = [...told, ...shown].map(({ body }) => body.trim()).filter((body) => body !== "");
  return {
    task: task.body.trim(),
    history: history.body,
    hasFaults: told.length > 0,
    end: text.slice(0, Math.min(...[history, task, ...shown].map(({ start }) => start))),
    ...(shown.length > 0 && page.length > 0 && { page: page.join("\n\n") }),
  };
}

/** How histories name who speaks: the user, the agent, and what the agent has noted for itself. */
const SPEAKER = new RegExp(
  String.raw`^[ \t]{0,8}(?:(${alternatives("userLabel")})|(${alternatives("agentLabel")})|(?:${alternatives("memoLabel")}))[ \t]{0,2}[:：][ \t]{0,2}`,
  "gim",
);
/** Where nothing was done yet, some say so. */
const NOTHING = new RegExp(String.raw`^[\s\W]{0,8}(${alternatives("noHistory")})?[\s\W]{0,8}$`, "i");

const tellsNothing = (history: string): boolean => history.length <= 64 && NOTHING.test(history);

/** The agent's words, turn by turn: undefined where nobody speaks. Turns for another task than the newest are of an earlier run. */
export function turnWords(history: string, task: string): readonly string[] | undefined {
  if (tellsNothing(history)) return [];
  const turns = piecesOf(history, SPEAKER);
  if (!turns.some(({ mark: [, , agent] }) => agent !== undefined)) return undefined;
  const words: string[] = [];
  for (const { mark, body } of turns) {
    const [, user, agent] = mark;
    const turn = body.trim();
    if (agent !== undefined) words.push(turn);
    else if (user === undefined) words.push(`${words.pop() ?? ""}\n${turn}`.trim());
    else if (turn !== task) words.length = 0;
  }
  return words;
}

type Names = Readonly<Record<"history" | "task" | "page", readonly string[]>>;

type Found = Pick<Section, "start" | "end" | "body">;

/** @param hasHeadings a name may be a heading's, and what stands before all sections is instructions */
export function namedSections(names: Names, hasHeadings = false) {
  return (text: string, isLed: boolean): Sections | undefined => {
    const sectionIn = (source: string, name: string): Found | undefined =>
      taggedSection(source, name, isLed) ??
      (hasHeadings ? headed(source).find(({ title }) => title.toLowerCase() === name.toLowerCase()) : undefined);
    const find = (source: string, all: readonly string[]) => all.map((name) => sectionIn(source, name)).find(Boolean);
    const page = find(text, names.page);
    const withoutPage = without(text, page);
    const history = find(withoutPage, names.history);
    if (history === undefined) return undefined;
    const own = find(without(withoutPage, history), names.task);
    // A task that stands only within what a page has said is none of the user's: then no text names the run.
    const task = own?.body.trim() ?? (find(text, names.task) && "");
    if (task === undefined) return undefined;
    const starts = [page, history, own].map((one) => one?.start ?? text.length);
    const instructions = hasHeadings ? { instructions: text.slice(0, Math.min(...starts)).trim() } : {};
    return { task, history: history.body, page: page?.body, ...instructions };
  };
}

const without = (text: string, { start, end }: Pick<Found, "start" | "end"> = { start: 0, end: 0 }) =>
  text.slice(0, start) + text.slice(end);

/** From the first tag of a name to its last closing one; behind instructions, which may show each section, from the last that has one. */
function taggedSection(text: string, name: string, isLed: boolean): Found | undefined {
  const close = text.lastIndexOf(`</${name}>`);
  const open = `<${name}>`;
  const start = isLed ? text.lastIndexOf(open, close === -1 ? undefined : close) : text.indexOf(open);
  if (start === -1) return undefined;
  const inside = start + open.length;
  const isClosed = close >= inside;
  const end = isClosed ? close + open.length + 1 : text.length;
  return { start, end, body: text.slice(inside, isClosed ? close : undefined) };
}

const labelled = (category: Category, rest: string, flags: string) =>
  new RegExp(String.raw`^[ \t]{0,8}(?:${alternatives(category)})[ \t]{0,4}[:：]${rest}`, flags);

const BEGINS = /^[ \t]{0,8}begin\b.{0,200}$/gim;
const QUESTION = /^[ \t]{0,8}(?:question|task|input|new input|query|user'?s? (?:request|question))[ \t]{0,8}:/gim;
const ANSWERED = /^[ \t]{0,8}(?:Final )?Answer[ \t]{0,8}:/im;
const STEP = /^[ \t]{0,8}(?:Thought|Action)[ \t]{0,8}:/m;

/** A question, and the steps behind it. What stands before the word with which the run begins is the form, told by an example. */
export function questionSections(text: string): Sections | undefined {
  const begin = STEP.test(text) ? piecesOf(text, BEGINS).at(-1) : undefined;
  const rest = begin?.body ?? text;
  const questions = piecesOf(rest, QUESTION);
  // Without a beginning only the last question's steps are the run's, and one that is asked before the last is answered was told by a tool.
  const isAsked = (at: number) => at === 0 || ANSWERED.test(questions[at - 1]?.body ?? "");
  const question = begin === undefined ? questions.findLast((_, at) => isAsked(at)) : questions[0];
  if (question === undefined) return undefined;
  const section = rest.slice(question.start + question.mark[0].length);
  const at = section.search(STEP);
  const instructions = text.slice(0, text.length - rest.length + question.start).trim();
  return at === -1 ? undefined : { task: section.slice(0, at).trim(), history: section.slice(at), instructions };
}

const STATE_BLOCK = labelled("stateLabel", String.raw`[ \t]{0,8}\n\s{0,8}\`\`\`.{0,40}\n([\s\S]*?)\`\`\``, "im");
const AIM = labelled("taskLabel", String.raw`\s{0,8}(\S[\s\S]*?)(?:\n\n|(?![\s\S]))`, "im");
/** A judge is shown the same as an executor, and asked for a verdict. */
const ASKS_FOR_LIST = /["'`](?:\w{1,24}_)?actions["'`]\s{0,4}:\s{0,4}\[|["'`]tool_name["'`]/;

/** A labelled state in a fence, and a labelled task beside it. */
export function fencedSections(text: string): Sections | undefined {
  const state = ASKS_FOR_LIST.test(text) ? STATE_BLOCK.exec(text) : null;
  if (state === null) return undefined;
  const end = text.slice(state.index + state[0].length);
  const task = AIM.exec(`${text.slice(0, state.index)}\n\n${end}`)?.[1]?.trim();
  return task === undefined ? undefined : { task, history: "", page: state[1]?.trim(), end };
}
