import { nextRung, type Policy, type Rung } from "../policy/policy.ts";
import type { Intervention } from "../session/session.ts";

/** The newest loop of a session, as its directory entry has it; a filter looks for detector and tools, which come first. An answer that was cut off is a loop, too. */
export interface LoopEntry {
  readonly detector: string;
  readonly tools: readonly string[];
  readonly grade: string | null;
  readonly rung: Rung | "cut";
  readonly count: number;
  /** Null at the last rung. */
  readonly next: { readonly rung: Rung; readonly at: number } | null;
  readonly step: number;
  readonly thread: string;
  readonly note: string;
}

export function loopEntry(intervention: Intervention, thread: string, policy: Policy): LoopEntry {
  const { detector, grade = null, rung, count, at: step, tools = [], note } = intervention;
  const next = nextRung(policy, { detector, tools, count, ...(grade !== null && { grade }) }, rung) ?? null;
  return { detector, tools, grade, rung, count, next, step, thread, note };
}

export const loopText = (entry: LoopEntry): string => JSON.stringify(entry);

/** Undefined where there is none. */
export function readLoop(text: string | undefined): LoopEntry | undefined {
  return text === undefined || text === "" ? undefined : JSON.parse(text);
}
