import type { Call, Conversation, Step } from "../../step.ts";
import { isObject, type JsonObject } from "../json.ts";
import { spokenActions } from "../text-actions.ts";
import { callsOf, contentText, nonEmpty, partOf, textOf } from "./wire.ts";

type Open<T> = { -readonly [Key in keyof T]: T[Key] };

interface OpenStep {
  readonly calls: Open<Call>[];
  readonly text: string;
  readonly heard: string[];
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
  return { system: instructions.join("\n"), opening, steps: steps.map(closed) };
}

/** The step of one assistant message or answer, before anything came back. */
export function stepOf(message: JsonObject): Step {
  return closed(openStep(message));
}

function openStep(message: JsonObject): OpenStep {
  const text = textOf(message);
  const calls = callsOf(message).map(({ id, tool, args }) => (id === undefined ? { tool, args } : { id, tool, args }));
  const said = calls.length > 0 ? undefined : spokenActions(text);
  if (said === undefined) return { calls, text, heard: [], spoken: false };
  return { calls: said.calls.map((call) => ({ ...call })), text: said.text, heard: [], spoken: true };
}

function closed({ calls, text, heard }: OpenStep): Step {
  return { calls, text, heard };
}

function hear(step: OpenStep | undefined, text: string, opening: string[]): void {
  if (step === undefined) opening.push(text);
  else if (!step.spoken || step.calls.some((call) => call.outcome !== undefined)) step.heard.push(text);
  else for (const call of step.calls) call.outcome = { text };
}

interface WaitingCalls {
  add(calls: readonly Open<Call>[]): void;
  /** The call that a result with this id answers: of the latest turn that has one open, the first. */
  take(id: string | undefined): Open<Call> | undefined;
  knows(id: string): boolean;
}

/** Some agents use one id for every call, or the same few in every turn, so an id names a stack of queues. */
function waitingCalls(): WaitingCalls {
  const turns = new Map<string, Open<Call>[][]>();
  return {
    add(calls) {
      const turn = new Map<string, Open<Call>[]>();
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
function firstUnanswered(
  result: JsonObject,
  step: OpenStep | undefined,
  waiting: WaitingCalls,
): Open<Call> | undefined {
  const id = nonEmpty(result.tool_call_id);
  // The second result of an answered call says nothing about the others.
  if (step === undefined || (id !== undefined && waiting.knows(id))) return undefined;
  const open = step.calls.filter((call) => call.outcome === undefined);
  return open.find((call) => call.tool === result.name) ?? open[0];
}
