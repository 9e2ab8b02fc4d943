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
  /** Whether the guard has ended the run for it, or the run has come to its end as it was forced to. */
  readonly ended: boolean;
}

export function loopText(intervention: Intervention, thread: string, policy: Policy, ended: boolean): string {
  const { detector, grade = null, rung, count, at: step, tools = [], note } = intervention;
  const next = nextRung(policy, { detector, tools, count, ...(grade !== null && { grade }) }, rung) ?? null;
  const entry: LoopEntry = { detector, grade, rung, count, next, step, thread, tools, note, ended };
  return JSON.stringify(entry);
}

/** Undefined where there is none. */
export function readLoop(text: string | undefined): LoopEntry | undefined {
  return text === undefined || text === "" ? undefined : { ended: false, ...JSON.parse(text) };
}
