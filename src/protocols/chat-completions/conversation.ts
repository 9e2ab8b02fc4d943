import type { Mutable } from "../../mutable.ts";
import type { Call, Conversation, Outcome, Step } from "../../step.ts";
import { joinTexts } from "../../text-span.ts";
import { isReport, reportedOutcomes } from "../action-reports.ts";
import { isObject, type JsonObject } from "../json.ts";
import { carriedActions, spokenActions } from "../text-actions.ts";
import { callsOf, contentText, nonEmpty, partOf, textOf, type WireCall } from "./wire.ts";

interface OpenCall extends Mutable<Call> {
  /** The actions that it is there for, which then are the step's calls. */
  readonly carried?: readonly Call[];
}

interface OpenStep {
  readonly calls: OpenCall[];
  readonly text: string;
  readonly heard: string[];
  /** User messages that tell what came of actions without a tool message to tell it. */
  readonly reports: string[];
  /** Its calls were written as text, so that the next user message is what came back. */
  readonly spoken: boolean;
}

/** The run that a history tells, every result beside its call. */
export function conversationOf(messages: readonly unknown[]): Conversation {
  const instructions: string[] = [];
  const opening: string[] = [];
  const steps: OpenStep[] = [];
  const waiting = waitingCalls();
  for (const message of messages) {
    if (!isObject(message)) continue;
    const latest = steps.at(-1);
    switch (partOf(message)) {
      case "instruction":
        instructions.push(contentText(message.content));
        break;
      case "assistant":
        steps.push(openStep(message));
        waiting.add(steps.at(-1)?.calls ?? []);
        break;
      case "user":
        hear(latest, contentText(message.content), opening);
        break;
      case "result": {
        const call = waiting.take(nonEmpty(message.tool_call_id)) ?? firstUnanswered(message, latest, waiting);
        if (call !== undefined) call.outcome = { text: contentText(message.content) };
        break;
      }
    }
  }
  return { system: joinTexts(instructions), opening, steps: steps.map(closed) };
}

/** The step of one assistant message or answer, before anything came back. */
export function stepOf(message: JsonObject): Step {
  return closed(openStep(message));
}

function openStep(message: JsonObject): OpenStep {
  const text = textOf(message);
  const calls = callsOf(message);
  if (calls.length > 0) return calledStep(calls, text);
  const said = spokenActions(text);
  const found = (said?.calls ?? []).map((call) => ({ ...call }));
  return { calls: found, text: said?.text ?? text, heard: [], reports: [], spoken: said !== undefined };
}

function calledStep(calls: readonly WireCall[], text: string): OpenStep {
  const words = text === "" ? [] : [text];
  const opened = calls.map(({ id, tool, args }): OpenCall => {
    const call = id === undefined ? { tool, args } : { id, tool, args };
    const inside = carriedActions(args);
    if (inside === undefined) return call;
    if (inside.text !== "") words.push(inside.text);
    return { ...call, carried: inside.calls };
  });
  return { calls: opened, text: words.join("\n"), heard: [], reports: [], spoken: false };
}

function closed({ calls, text, heard, reports, spoken }: OpenStep): Step {
  const isPlain = !spoken && reports.length === 0 && calls.every(({ carried }) => carried === undefined);
  if (isPlain) return { calls, text, heard };
  const reported = calls.reduce((sum, { carried }) => sum + (carried?.length ?? (spoken ? 1 : 0)), 0);
  const outcomes = [...(reports.length === 0 ? [] : reportedOutcomes(reports, reported))];
  const found = calls.flatMap((call): readonly Call[] => {
    if (call.carried !== undefined) return call.carried.map((inner) => answered(call, inner, outcomes.shift()));
    const outcome = spoken ? outcomes.shift() : undefined;
    return [outcome === undefined ? call : { ...call, outcome }];
  });
  return { calls: found, text, heard };
}

/** A carried action goes by its carrier's id. What a tool message says of the carrier, it says of each of its actions. */
function answered({ id, outcome }: OpenCall, inner: Call, reported: Outcome | undefined): Call {
  const said = [outcome?.text, reported?.text].filter((text) => text !== undefined && text.trim() !== "");
  const text = said.join("\n");
  const both = outcome === undefined && reported === undefined ? undefined : { ...reported, text };
  return { ...(id === undefined ? {} : { id }), ...inner, ...(both === undefined ? {} : { outcome: both }) };
}

function hear(step: OpenStep | undefined, text: string, opening: string[]): void {
  if (step === undefined) opening.push(text);
  else if (takesReport(step, text)) step.reports.push(text);
  else step.heard.push(text);
}

function takesReport({ calls, reports, spoken }: OpenStep, text: string): boolean {
  if (!spoken) return isReport(text) && calls.some(({ carried }) => carried !== undefined);
  const isFirst = reports.length === 0 && calls.every(({ outcome }) => outcome === undefined);
  return isFirst || (reports.length > 0 && isReport(text));
}

interface WaitingCalls {
  add(calls: readonly OpenCall[]): void;
  /** The call that a result with this id answers: of the latest turn that has one open, the first. */
  take(id: string | undefined): OpenCall | undefined;
  knows(id: string): boolean;
}

/** Some agents use one id for every call, or the same few in every turn, so an id names a stack of queues. */
function waitingCalls(): WaitingCalls {
  const turns = new Map<string, OpenCall[][]>();
  return {
    add(calls) {
      const turn = new Map<string, OpenCall[]>();
      for (const call of calls) {
        if (call.id === undefined) continue;
        const queue = turn.get(call.id);
        if (queue === undefined) turn.set(call.id, [call]);
        else queue.push(call);
      }
      for (const [id, queue] of turn) {
        const stack = turns.get(id);
        if (stack === undefined) turns.set(id, [queue]);
        else stack.push(queue);
      }
    },
    take(id) {
      const stack = id === undefined ? undefined : turns.get(id);
      for (let queue = stack?.at(-1); queue !== undefined; queue = stack?.at(-1)) {
        const call = queue.shift();
        if (call === undefined) stack?.pop();
        else if (call.outcome === undefined) return call;
      }
      return undefined;
    },
    knows: (id) => turns.has(id),
  };
}

/** For results without an id, as legacy functions have, or with one that no call has. */
function firstUnanswered(result: JsonObject, step: OpenStep | undefined, waiting: WaitingCalls): OpenCall | undefined {
  const id = nonEmpty(result.tool_call_id);
  // The second result of an answered call says nothing about the others.
  if (step === undefined || (id !== undefined && waiting.knows(id))) return undefined;
  const open = step.calls.filter((call) => call.outcome === undefined);
  return open.find((call) => call.tool === result.name) ?? open[0];
}
