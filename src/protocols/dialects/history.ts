import type { Mutable } from "../../mutable.ts";
import type { Call, Conversation, Outcome, Step } from "../../step.ts";
import { joinTexts } from "../../text/text-span.ts";
import type { TextActions } from "./dialect.ts";
import { exampleTurns } from "./examples.ts";
import { saysEnd, wrappedActions } from "./json-actions.ts";
import { type CallQueues, callQueues, nextOpen, type PendingCalls, pendingCalls } from "./pending-calls.ts";
import { type PromptHistory, readPrompt } from "./prompts.ts";
import { readText, textReader, type TextTurn } from "./text-turn.ts";

/** How agents begin to tell in a user message what came of actions that have no tool message of their own. */
const report =
  /^\s*(observation[ \t]*:|\[?action (result|error)\b|\[task history memory ends|\[current state|current url:)/i;
/** From here on it is about the page of now: the agent takes it out of its history after one turn. */
const oneTime = /^[ \t]*\[(task history memory ends|current state starts here)\]/im;
const failure = /^[ \t]*\[?action error\b/im;
/** Step counters, with whatever shares their line. */
const counter = /^[ \t]*current step: ?\d+ ?(\/|of) ?\d+.*$/gim;
const counterAtEdge = /^\s*step:? ?\d+ ?(\/|of) ?\d+[ \t]*(\n|$)|(^|\n)[ \t]*step:? ?\d+ ?(\/|of) ?\d+\s*$/gi;
/** What the agent was asked and has noted: longer at every turn, whatever the page does. */
const memories = ["agent_history", "user_request", "todo_contents", "memory", "plan", "step_info"];

/** Whether a user message tells what came of actions. */
function isReport(text: string): boolean {
  return report.test(text) || text.includes("<browser_state>");
}

/**
 * What came of each of `count` actions: of as many reports each its own, else all of them together. What will still be
 * in the history at the next turn counts; the page only where nothing else does, for no later turn could be compared with it.
 */
function reportedOutcomes(reports: readonly string[], count: number): readonly Outcome[] {
  const lasting = reports.map(withoutPage).filter((text) => text.trim() !== "");
  const texts = (lasting.length > 0 ? lasting : reports).map((text) => (isReport(text) ? withoutVolatile(text) : text));
  if (texts.length === count) return texts.map(outcomeOf);
  const together = outcomeOf(texts.join("\n"));
  return Array.from({ length: count }, () => together);
}

function outcomeOf(text: string): Outcome {
  return failure.test(text) ? { text, failed: true } : { text };
}

function withoutPage(text: string): string {
  const page = oneTime.exec(text);
  return page === null ? text : text.slice(0, page.index).trimEnd();
}

function withoutVolatile(text: string): string {
  return memories.reduce(withoutSection, text).replace(counter, "").replace(counterAtEdge, "").trim();
}

/** A section counts as one only where it is closed. */
function withoutSection(text: string, name: string): string {
  const lines: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf(`<${name}>`, from);
    const end = start === -1 ? -1 : text.indexOf(`</${name}>`, start);
    if (end === -1) return lines.join("") + text.slice(from);
    lines.push(text.slice(from, start));
    from = end + name.length + 3;
  }
}

/** The label of an outcome, and the number of the agent's own call in front of it: neither is part of what came back. */
const outcomeLabel = /^\s*(?:call id:[ \t]*\S*\s*)?(?:observation[ \t]*:\s*)?(?:call id:[ \t]*\S*\s*)?/i;

function withoutLabel(text: string): string {
  return text.replace(outcomeLabel, "");
}

/** One message of a history, as any wire format tells it. */
export type Message =
  /** System and developer texts. */
  | { readonly part: "instruction"; readonly text: string }
  | { readonly part: "user"; readonly text: string }
  /** Calls may carry outcomes: a server runs its own tools. */
  | { readonly part: "assistant"; readonly text: string; readonly calls: readonly Call[] }
  | ResultMessage;

/** What came back for a call, in a message of its own. */
export interface ResultMessage {
  readonly part: "result";
  readonly text: string;
  readonly id?: string | undefined;
  /** For formats that name the tool where they have no id. */
  readonly tool?: string | undefined;
  readonly failed?: boolean;
}

/** What a history tells, and where. */
export interface ToldHistory {
  readonly conversation: Conversation;
  /** For each step the index of its message in the list that was read; several steps may be told in one message. */
  readonly places: readonly number[];
  /** The steps are told in a prompt that is written anew each time: what is said to the model is said at its end. */
  readonly isPrompt: boolean;
  /** What a prompt says of the answer's form. */
  readonly form?: string;
}

export interface OpenCall extends Mutable<Call> {
  /** The actions that it is there for, which then are the step's calls. */
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

/** The run that a history tells, every outcome beside its call. Messages that are undefined are of no known role. */
export function historyOf(messages: readonly (Message | undefined)[]): ToldHistory {
  const [instructions, notes, opening]: [string[], string[], string[]] = [[], [], []];
  const steps: OpenStep[] = [];
  const places: number[] = [];
  const pending = pendingCalls();
  const readTold = textReader();
  const examples = exampleTurns(messages);
  for (const [index, message] of messages.entries()) {
    if (message === undefined) continue;
    if (examples.has(index)) {
      instructions.push(message.text);
      continue;
    }
    switch (message.part) {
      case "instruction":
        // One that comes later changes nothing about whose run it is.
        if (steps.length === 0) (opening.length === 0 ? instructions : notes).push(message.text);
        break;
      case "assistant":
        for (const step of openSteps(message, (text) => readTold(text, "history"))) {
          steps.push(step);
          places.push(index);
          pending.add(step.calls);
        }
        break;
      case "user":
        hear(steps.at(-1), message.text, opening);
        break;
      case "result":
        answer(message, steps.at(-1), pending);
        break;
    }
  }
  const system = joinTexts([...instructions, ...notes]);
  const history = steps.length === 0 ? historyIn(opening) : undefined;
  if (history !== undefined) return promptHistory(history, system);
  const lead = instructions.length > 0 && notes.length > 0 && { lead: joinTexts(instructions) };
  return { conversation: { system, ...lead, opening, steps: steps.map(closedStep) }, places, isPrompt: false };
}

function promptHistory(history: PromptHistory, system: string): ToldHistory {
  const { task, steps, instructions, form, isUntold, showsState } = history;
  const conversation = {
    system: instructions === undefined ? system : joinTexts([system, instructions]),
    opening: [task],
    steps,
    ...(isUntold && { isUntold }),
    ...(showsState && { showsState }),
  };
  // The step before the one that led to a state is known by what was relayed.
  const places = showsState ? [0, 0] : steps.map(() => 0);
  return { conversation, places, isPrompt: true, ...(form !== undefined && { form }) };
}

/** The run alone. */
export function promptConversation(messages: readonly (Message | undefined)[]): Conversation {
  return historyOf(messages).conversation;
}

/** The history that one of the user messages tells, where there is no turn but in it. */
function historyIn(opening: readonly string[]): PromptHistory | undefined {
  for (const text of opening) {
    const history = readPrompt(text);
    if (history !== undefined) return history;
  }
  return undefined;
}

/** The step of one answer, before anything came back: of several that it tells, all the calls are its own. */
export function promptStep(text: string, calls: readonly Call[]): Step {
  const step = closedStep(openSteps({ text, calls }, (said) => readText(said, "answer"))[0] ?? openStep([], text));
  return calls.length === 0 && saysEnd(text) ? { ...step, ends: true } : step;
}

function answer(message: ResultMessage, step: OpenStep | undefined, pending: PendingCalls): void {
  const call = pending.take(message.id) ?? firstUnanswered(message, step, pending);
  if (call === undefined) return;
  const { text, failed } = message;
  call.outcome = failed === undefined ? { text } : { text, failed };
}

function openSteps(
  { text, calls }: Pick<Step, "text" | "calls">,
  read: (text: string) => TextTurn | undefined,
): readonly OpenStep[] {
  if (calls.length > 0) return [calledStep(calls, text)];
  const turn = read(text);
  return turn === undefined ? [openStep([], text)] : turn.steps.map(textStep);
}

function openStep(calls: OpenCall[], text: string, isText = false): OpenStep {
  return { calls, text, heard: [], reports: [], isText };
}

function textStep({ calls, text }: TextActions): OpenStep {
  return openStep(calls.map(openCall), text, true);
}

function calledStep(calls: readonly Call[], text: string): OpenStep {
  const words = text === "" ? [] : [text];
  const opened = calls.map((call): OpenCall => {
    const inside = wrappedActions(call.args);
    if (inside === undefined) return openCall(call);
    if (inside.text !== "") words.push(inside.text);
    return { ...call, wrapped: inside.calls };
  });
  return openStep(opened, words.join("\n"));
}

/** Written out: long histories have many, and a spread costs as much as reading the call. */
function openCall({ id, tool, args, outcome }: Call): OpenCall {
  const call: OpenCall = id === undefined ? { tool, args } : { id, tool, args };
  if (outcome !== undefined) call.outcome = outcome;
  return call;
}

function closedStep({ calls, text, heard, reports, isText }: OpenStep): Step {
  const isPlain = reports.length === 0 && calls.every(({ wrapped }) => wrapped === undefined);
  if (isPlain) return { calls, text, heard };
  const reported = calls.reduce((sum, { wrapped }) => sum + (wrapped?.length ?? (isText ? 1 : 0)), 0);
  const outcomes = (reports.length === 0 ? [] : reportedOutcomes(reports.map(withoutLabel), reported)).values();
  const next = (): Outcome | undefined => outcomes.next().value;
  const closedCalls = calls.flatMap((call): readonly Call[] => {
    if (call.wrapped !== undefined) return call.wrapped.map((inner) => answeredCall(call, inner, next()));
    const outcome = isText ? next() : undefined;
    return [outcome === undefined ? call : { ...call, outcome }];
  });
  return { calls: closedCalls, text, heard };
}

/** A wrapped action goes by its wrapper's id. What a tool message says of the wrapper, it says of each of its actions. */
function answeredCall({ id, outcome }: OpenCall, inner: Call, reported: Outcome | undefined): Call {
  const outcomeTexts = [outcome?.text, reported?.text].filter((text) => text !== undefined && text.trim() !== "");
  const text = outcomeTexts.join("\n");
  const both = outcome === undefined && reported === undefined ? undefined : { ...reported, text };
  return { ...(id === undefined ? {} : { id }), ...inner, ...(both === undefined ? {} : { outcome: both }) };
}

function hear(step: OpenStep | undefined, text: string, opening: string[]): void {
  if (step === undefined) opening.push(text);
  else if (takesReport(step, text)) step.reports.push(text);
  else step.heard.push(text);
}

function takesReport({ calls, reports, isText }: OpenStep, text: string): boolean {
  if (!isText) return isReport(text) && calls.some(({ wrapped }) => wrapped !== undefined);
  const isFirst = reports.length === 0 && calls.every(({ outcome }) => outcome === undefined);
  // An outcome behind the action, in the same message, was imagined where another one is reported.
  return isFirst || isReport(text);
}

/** For results without an id, as legacy functions have, or with one that no call has: the first open call of their tool, else the first. */
function firstUnanswered(
  { id, tool }: ResultMessage,
  step: OpenStep | undefined,
  pending: PendingCalls,
): OpenCall | undefined {
  // The second result of an answered call says nothing about the others.
  if (step === undefined || (id !== undefined && pending.knows(id))) return undefined;
  const { all, byTool } = unanswered.get(step) ?? queuesOf(step);
  const queue = tool === undefined ? undefined : byTool.get(tool);
  return (queue && nextOpen(queue)) ?? nextOpen(all);
}

/** Made at the first result that needs them. */
const unanswered = new WeakMap<OpenStep, CallQueues>();

function queuesOf(step: OpenStep): CallQueues {
  const queues = callQueues(step.calls);
  unanswered.set(step, queues);
  return queues;
}
