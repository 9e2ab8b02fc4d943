import { nextRung, type Policy, type Rung } from "../policy/policy.ts";
import type { Intervention } from "../session/session.ts";

/** The newest loop of a session, as its directory entry has it. */
export interface LoopEntry {
  readonly detector: string;
  readonly grade: string | null;
  readonly rung: Rung;
  readonly count: number;
  /** Null at the last rung. */
  readonly next: { readonly rung: Rung; readonly at: number } | null;
  readonly step: number;
  readonly thread: string;
  readonly tools: readonly string[];
  readonly note: string;
}

export function loopText(made: Intervention, thread: string, policy: Policy): string {
  const { detector, grade = null, rung, count, at: step, tools = [], note } = made;
  const next = nextRung(policy, { detector, tools, count, ...(grade !== null && { grade }) }) ?? null;
  const entry: LoopEntry = { detector, grade, rung, count, next, step, thread, tools, note };
  return JSON.stringify(entry);
}

/** Undefined where there is none. */
export function readLoop(text: string | undefined): LoopEntry | undefined {
  return text === undefined || text === "" ? undefined : JSON.parse(text);
}
