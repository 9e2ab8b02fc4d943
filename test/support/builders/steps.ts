import type { Call, Conversation, Step } from "../../../src/step.ts";

export interface Utterance {
  readonly heard: string;
}

export type Part = Step | Utterance;

export function ask(tool: string, args: unknown = {}, text?: string, failed?: boolean): Call {
  return {
    tool,
    args: typeof args === "string" ? args : JSON.stringify(args),
    ...(text === undefined ? {} : { outcome: { text, ...(failed === undefined ? {} : { failed }) } }),
  };
}

export function call(tool: string, args: unknown = {}, text?: string, failed?: boolean): Step {
  return together(ask(tool, args, text, failed));
}

export function together(...calls: readonly Call[]): Step {
  return { calls, text: "", heard: [] };
}

export function said(text: string): Step {
  return { calls: [], text, heard: [] };
}

export function heard(text: string): Utterance {
  return { heard: text };
}

export function times<T>(count: number, make: (i: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** Users' words before the first turn are the opening; without any there is a plain task. */
export function conversation(parts: readonly Part[], system = "You are an agent."): Conversation {
  const opening: string[] = [];
  const steps: Step[] = [];
  for (const part of parts) {
    const last = steps.at(-1);
    if ("calls" in part) steps.push(part);
    else if (last === undefined) opening.push(part.heard);
    else steps[steps.length - 1] = { ...last, heard: [...last.heard, part.heard] };
  }
  return { system, opening: opening.length === 0 ? ["Do the task."] : opening, steps };
}

export function numbered(told: Conversation): Conversation {
  return withIds(told, counted("call_7e3f91ab5c2d8f04_"));
}

export function withIds(told: Conversation, id: () => string): Conversation {
  const steps = told.steps.map((step) => ({ ...step, calls: step.calls.map((one) => ({ ...one, id: id() })) }));
  return { ...told, steps };
}

export function counted(prefix: string): () => string {
  let next = 0;
  return () => `${prefix}${next++}`;
}

export function upTo(told: Conversation, count: number): Conversation {
  return { ...told, steps: told.steps.slice(0, count) };
}

export function shortened(told: Conversation, from: number): Conversation {
  return { ...told, steps: told.steps.slice(from) };
}
