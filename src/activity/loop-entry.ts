import { placeOnLadder, type Policy, type Rung } from "../policy/policy.ts";
import type { Intervention } from "../session/session.ts";

/** The newest loop of a session, as its directory entry has it; a filter looks for detector and tools, which come first. An answer that was cut off is a loop, too. */
export interface LoopEntry {
  readonly detector: string;
  readonly tools: readonly string[];
  readonly grade: string | null;
  readonly rung: Rung | "cut";
  readonly count: number;
  /** The rung that the count has reached; a lower one than `rung` where it was told of that, and went on. Null where no count decided. */
  readonly due: { readonly rung: Rung; readonly at: number } | null;
  /** Null at the last rung. */
  readonly next: { readonly rung: Rung; readonly at: number } | null;
  readonly step: number;
  readonly thread: string;
  readonly note: string;
}

export function loopEntry(intervention: Intervention, thread: string, policy: Policy): LoopEntry {
  const { detector, grade = null, rung, count, at: step, tools = [], note } = intervention;
  const finding = { detector, tools, count, ...(grade !== null && { grade }) };
  return { detector, tools, grade, rung, count, ...placeOnLadder(policy, finding, rung), step, thread, note };
}

export const loopText = (entry: LoopEntry): string => JSON.stringify(entry);

/** Undefined where there is none. */
export function readLoop(text: string | undefined): LoopEntry | undefined {
  return text === undefined || text === "" ? undefined : JSON.parse(text);
}
