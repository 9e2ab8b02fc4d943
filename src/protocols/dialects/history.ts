import type { Mutable } from "../../mutable.ts";
import type { Call, Conversation, Outcome, Step } from "../../step.ts";
import { joinTexts } from "../../text/text-span.ts";
import { atOnce, type Pieces } from "../../turns.ts";
import type { Work } from "../../work.ts";
import type { Dialect, DialectUse, Message, ResultMessage, TextActions } from "./dialect.ts";
import { calledStep, type NextStep } from "./ends.ts";
import { demandedForm, jsonActions, saysEnd, wrappedActions } from "./json-actions.ts";
import { lastingPage, readPrompt } from "./prompts.ts";
import { shownForm } from "./forms.ts";
import { dialects, exampleTurns, readText } from "./text-turn.ts";
import type { AnswerFormat, ParsedRequest } from "../protocol.ts";

export interface ToldHistory {
  readonly conversation: Conversation;
  /** For each step the index of its message in the list that was read; several steps may be told in one message. */
  readonly places: readonly number[];
  readonly isPrompt: boolean;
  /** The form that its instructions show an agent without tools. */
  readonly shown?: Dialect;
  readonly form?: string;
}

interface OpenCall extends Mutable<Call> {
  readonly wrapped?: readonly Call[];
}

interface OpenStep {
  readonly calls: OpenCall[];
  readonly text: string;
  readonly heard: string[];
  /** User messages that tell what came of actions without a tool message to tell it. */
  readonly reports: string[];
  /** Its calls were written as text, so that the next user message is what came back. */
  readonly isText: boolean;
}

const ACTION_WORK = 512;
/** To take a message, or a call, into the run. */
const ITEM_WORK = 64;

/** The run that a history tells, every outcome beside its call. Messages that are undefined are of no known role. */
export function* historyInPieces(
  messages: readonly (Message | undefined)[],
  work: Work,
  terms: { readonly nextStep?: NextStep | undefined; readonly isWithoutTools?: boolean } = {},
): Pieces<ToldHistory> {
  const [instructions, notes, opening]: [string[], string[], string[]] = [[], [], []];
  let shown: Dialect | undefined;
  const steps: OpenStep[] = [];
  const places: number[] = [];
  const unanswered = openCalls();
  // By the system alone, and before anything has come back.
  const before = messages.slice(0, messages.findIndex((one) => one?.part === "assistant") + 1);
  const told = before.flatMap((one) => (one?.part === "instruction" ? [one.text] : [])).join("\n");
  const form = terms.isWithoutTools ? shownForm(told, work) : undefined;
  const read = (text: string) => {
    const call = terms.nextStep && calledStep(terms.nextStep, text, work);
    const told = call === undefined ? readText(text, "history", work)?.steps : [{ calls: [call], text: "" }];
    if (told === undefined && steps.length === 0) shown = form;
    const actions = told ?? shown?.read(text, "history", work);
    for (const { calls } of actions ?? []) work.spend(ACTION_WORK * calls.length);
    return actions;
  };
  const examples = exampleTurns(messages, work, form);
  for (const [index, message] of messages.entries()) {
    work.spend(ITEM_WORK * (1 + (message?.part === "assistant" ? message.calls.length : 0)));
    if (work.isDue()) yield;
    if (message === undefined) continue;
    if (examples.has(index)) instructions.push(message.text);
    else if (message.part === "instruction") {
      const step = steps.at(-1);
      if (step === undefined) (opening.length === 0 ? instructions : notes).push(message.text);
      else if (isHarnessReport(step, message.text)) step.reports.push(message.text);
    } else if (message.part === "assistant") {
      const taken = openSteps(message, read, work);
      for (const step of taken) unanswered.add(step.calls);
      steps.push(...taken);
      places.push(...taken.map(() => index));
    } else if (message.part === "user") hear(steps.at(-1), message.text, opening);
    else if (message.part === "result") unanswered.answer(message);
  }
  const system = joinTexts([...instructions, ...notes]);
  const prompt = steps.length === 0 ? readPrompt(opening, system === "", work) : undefined;
  if (prompt !== undefined) {
    const { conversation } = prompt;
    const whole = { ...conversation, system: joinTexts([system, conversation.system]) };
    return { ...prompt, isPrompt: true, conversation: whole };
  }
  const lead = instructions.length > 0 && notes.length > 0 && { lead: joinTexts(instructions) };
  const conversation = { system, ...lead, opening, steps: steps.map(closedStep) };
  return { conversation, places, isPrompt: false, ...(shown && { shown }) };
}

export const historyOf = (...told: Parameters<typeof historyInPieces>): ToldHistory => atOnce(historyInPieces(...told));

export function promptStep(text: string, calls: readonly Call[], work: Work): Step {
  const read = (said: string) => readText(said, "answer", work)?.steps;
  const [first = openStep([], text)] = openSteps({ text, calls }, read, work);
  return { ...closedStep(first), ...(calls.length === 0 && saysEnd(text, work) && { ends: true }) };
}

type Reader = (text: string) => readonly TextActions[] | undefined;

function openSteps({ text, calls }: TextActions, read: Reader, work: Work): readonly OpenStep[] {
  if (calls.length === 0)
    return (read(text) ?? [{ calls, text }]).map((told) => openStep(told.calls, told.text, told.calls.length > 0));
  const inside = calls.map(({ args }) => wrappedActions(args, work));
  const words = [text, ...inside.map((one) => one?.text ?? "")].filter((one) => one !== "");
  const opened = calls.map((call, at) => (inside[at] === undefined ? call : { ...call, wrapped: inside[at].calls }));
  return [openStep(opened, words.join("\n"))];
}

function openStep(calls: readonly OpenCall[], text: string, isText = false): OpenStep {
  return { calls: calls.map((call) => ({ ...call })), text, heard: [], reports: [], isText };
}

/** Some agents use one id for every call: a result answers the first open call of the latest turn that has one with its id, or of its tool. */
function openCalls() {
  const byId = new Map<string, OpenCall[]>();
  let latest = new Map<string | undefined, OpenCall[]>();
  const put = <Key>(stacks: Map<Key, OpenCall[]>, key: Key, call: OpenCall) => {
    if (stacks.get(key)?.push(call) === undefined) stacks.set(key, [call]);
  };
  const top = (stack: OpenCall[] | undefined) => {
    while (stack?.at(-1)?.outcome !== undefined) stack.pop();
    return stack?.at(-1);
  };
  return {
    add(calls: readonly OpenCall[]): void {
      latest = new Map();
      for (const call of calls.toReversed()) {
        if (call.id !== undefined) put(byId, call.id, call);
        for (const tool of [call.tool, undefined]) put(latest, tool, call);
      }
    },
    answer({ id, tool, text, failed }: ResultMessage): void {
      const named = id === undefined ? undefined : byId.get(id);
      // The second result of an answered call says nothing about the others.
      const call = named === undefined ? (top(latest.get(tool)) ?? top(latest.get(undefined))) : top(named);
      if (call !== undefined) call.outcome = failed === undefined ? { text } : { text, failed };
    },
  };
}

/** How agents begin to tell in a user message what came of actions that have no tool message of their own. */
const REPORT =
  /^\s*(observation[ \t]*:|\[?action (result|error)\b|\[task history memory ends|\[current state|current url:)|<browser_state>/i;
/** From here on it is about the page of now: the agent takes it out of its history after one turn. */
const ONE_TIME = /^[ \t]*\[(task history memory ends|current state starts here)\]/im;
const FAILURE = /^[ \t]*\[?action error\b/im;
/** Step counters, with whatever shares their line. */
const COUNTER =
  /^[ \t]*current step: ?\d+ ?(\/|of) ?\d+.*$|(?<![\s\S])\s*step:? ?\d+ ?(\/|of) ?\d+[ \t]*$|^[ \t]*step:? ?\d+ ?(\/|of) ?\d+\s*(?![\s\S])/gim;
/** What the agent was asked and has noted: longer at every turn, whatever the page does. A section counts as one only where it is closed. */
const MEMORIES = /<(agent_history|user_request|todo_contents|memory|plan|step_info)>(?:(?!<\1>)[\s\S])*?<\/\1>/g;
/** The label of an outcome, and the number of the agent's own call in front of it: neither is part of what came back. */
const OUTCOME_LABEL = /^\s*(?:call id:[ \t]*\S*\s*)?(?:observation[ \t]*:\s*)?(?:call id:[ \t]*\S*\s*)?/i;
/** They begin a message: a page that is shown in one may say the same. */
const TASKS = [/^[^\n"<]{0,80}ultimate task is:\s{0,4}"""([\s\S]{1,8000}?)"""/i, /^New task:\n([\s\S]*)$/];

/** A message that wraps the task names the run, whatever agents say in front of it. */
function hear(step: OpenStep | undefined, text: string, opening: string[]): void {
  const task = TASKS.map((wrapper) => wrapper.exec(text)?.[1]).find((one) => one !== undefined);
  if (step !== undefined && takesReport(step, text)) step.reports.push(text);
  else if (step !== undefined) step.heard.push(task ?? text);
  else if (task === undefined) opening.push(text);
  else opening.unshift(task);
}

/** Some agents tell in a message of the system what came of a written action, by its name (AutoGPT); the next user message only asks to go on. */
const isHarnessReport = (step: OpenStep, text: string): boolean =>
  step.isText && takesReport(step, text) && step.calls.some(({ tool }) => text.includes(tool));

function takesReport({ calls, reports, isText }: OpenStep, text: string): boolean {
  const isFirst = reports.length === 0 && calls.every(({ outcome }) => outcome === undefined);
  // An outcome behind the action, in the same message, was imagined where another one is reported.
  if (isText) return isFirst || REPORT.test(text);
  return REPORT.test(text) && calls.some(({ wrapped }) => wrapped !== undefined);
}

/** Of as many reports as actions each its own, else all together; the page behind the last one stands beside it, for no later turn tells it. */
function reportedOutcomes(told: readonly string[], count: number): readonly Outcome[] {
  const reports = told.map((text) => text.replace(OUTCOME_LABEL, ""));
  const parts = reports.map((text) => text.slice(0, ONE_TIME.exec(text)?.index).trimEnd());
  const lasting = parts.filter((text) => text.trim() !== "");
  const texts = (lasting.length > 0 ? lasting : reports).map((text) => (REPORT.test(text) ? bare(text) : text));
  const outcomes = (texts.length === count ? texts : [texts.join("\n")]).map((text) =>
    FAILURE.test(text) ? { text, failed: true } : { text },
  );
  const last = reports.at(-1) ?? "";
  const page = lasting.length > 0 ? ONE_TIME.exec(last) : null;
  return Array.from({ length: count }, (_, index) => {
    const outcome = outcomes[index] ?? outcomes[0] ?? { text: "" };
    return index < count - 1 || page === null
      ? outcome
      : { ...outcome, state: lastingPage(bare(last.slice(page.index))) };
  });
}

const bare = (report: string): string => report.replace(MEMORIES, "").replace(COUNTER, "").trim();

function closedStep({ calls, text, heard, reports, isText }: OpenStep): Step {
  if (!isText && calls.every(({ wrapped }) => wrapped === undefined)) return { calls, text, heard };
  const count = calls.reduce((sum, { wrapped }) => sum + (wrapped?.length ?? (isText ? 1 : 0)), 0);
  const reported = (reports.length === 0 ? [] : reportedOutcomes(reports, count)).values();
  const next = (): Outcome | undefined => reported.next().value;
  const closed = calls.flatMap((call): readonly Call[] => {
    if (call.wrapped !== undefined) return call.wrapped.map((inner) => answeredCall(call, inner, next()));
    const outcome = isText ? next() : undefined;
    return [outcome === undefined ? call : { ...call, outcome }];
  });
  return { calls: closed, text, heard };
}

/** A wrapped action goes by its wrapper's id. What a tool message says of the wrapper, it says of each of its actions. */
function answeredCall({ id, outcome }: Call, inner: Call, reported: Outcome | undefined): Call {
  const outcomes = [outcome, reported].filter((one) => one !== undefined);
  const texts = outcomes.flatMap((one) => (one.text.trim() === "" ? [] : [one.text]));
  const text = texts.join("\n");
  return { ...(id !== undefined && { id }), ...inner, ...(outcomes.length > 0 && { outcome: { ...reported, text } }) };
}

/** How an agent acts and ends, judged by its latest turn, or by what it was told. @param demanded the form that the request demands */
export function habitsOf(
  messages: readonly (Message | undefined)[],
  { conversation: { system, opening }, isPrompt, form, shown }: ToldHistory,
  offersTools: boolean,
  { demanded, nextStep, work }: { readonly demanded: AnswerFormat; readonly nextStep?: NextStep; readonly work: Work },
): Pick<ParsedRequest, "hasTextActions" | "format"> {
  const instructions = [system, ...opening].join("\n");
  const turns = messages.filter((message) => message?.part === "assistant");
  const latest = turns.at(-1);
  const calling = turns.findLast(({ calls }) => calls.length > 0);
  const acts = latest?.calls.length !== 0 || (nextStep && calledStep(nextStep, latest.text, work)) !== undefined;
  const spoken = acts ? undefined : readText(latest.text, "history", work)?.dialect;
  const shownTurn = shown && turns.findLast(({ text }) => shown.read(text, "history", work) !== undefined);
  const actsAsShown = shownTurn !== undefined && shownTurn === latest;
  const hasTextActions = isPrompt || actsAsShown || (spoken !== undefined && spoken.isNative !== true);
  const use = (): DialectUse | undefined => {
    const how = (dialect: Dialect, sample = "", told = instructions) => ({ dialect, sample, instructions: told, work });
    if (spoken !== undefined)
      return how(spoken, latest?.text, spoken === jsonActions && system !== "" ? system : instructions);
    if (offersTools) return undefined;
    if (shown?.finalText !== undefined && shownTurn !== undefined) return how(shown, shownTurn.text);
    // Some agents tell what was said in text as calls of a tool that they do not offer.
    const own = latest === calling ? calling?.calls : [];
    const retold = own?.find(({ args }) => wrappedActions(args, work) !== undefined);
    if (retold !== undefined) return how(jsonActions, retold.args);
    const asked = dialects.find((dialect) => dialect.recognises?.(instructions));
    if (asked !== undefined) return how(asked);
    return form !== undefined && demandedForm(form) ? how(jsonActions, "", form) : undefined;
  };
  const own = use();
  const isDemanded = own === undefined || (demanded.kind === "schema" && own.dialect.ownsSchema !== true);
  const format: AnswerFormat = isDemanded ? demanded : { kind: "dialect", ...own };
  return { hasTextActions, format };
}
