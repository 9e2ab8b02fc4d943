import type { Finding } from "../engine/engine.ts";
import { nextRung } from "./ladder.ts";
import type { Rung } from "./rungs.ts";
import type { Policy } from "./policy-type.ts";

/** Loop counter: how far a loop has got that nothing was done about at its latest step. Holds no text of the conversation. */
export interface LoopCounter extends Pick<Finding, "detector" | "loop" | "count" | "tools" | "note"> {
  readonly grade?: string;
  /** Repetitions, and how many of them lead to what comes next: `1/2`. */
  readonly repeats?: string;
  /** What comes next, and the count that leads to it. */
  readonly rung: Rung;
  readonly of: number;
}

/** The counter of the loop that is nearest to its next rung; undefined where nothing is counted. Budgets are told elsewhere. */
export function loopCounter(findings: readonly Finding[], policy: Policy): LoopCounter | undefined {
  let nearest: LoopCounter | undefined;
  for (const { detector, grade, loop, count, repeats, tools, note, limit } of findings) {
    const graded = { detector, tools, count, ...(grade === undefined ? {} : { grade }) };
    const next = limit === undefined ? nextRung(policy, graded) : undefined;
    if (next === undefined || (nearest !== undefined && nearest.of - nearest.count <= next.at - count)) continue;
    const again = repeats === undefined ? {} : { repeats: `${repeats}/${repeats + next.at - count}` };
    nearest = { ...graded, ...again, loop, note, rung: next.rung, of: next.at };
  }
  return nearest;
}

/** Warning: one more, and the run is forced to its end, or ended. */
export function isWarning({ rung, count, of }: LoopCounter): boolean {
  return rung !== "nudge" && count + 1 === of;
}
