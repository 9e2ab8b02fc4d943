import type { Rung } from "../../src/policy/policy.ts";
import { rungs } from "../../src/policy/budget.ts";
import type { Labelled } from "./data.ts";
import type { Flag, Rule } from "./rules.ts";

/** What a rule made of one conversation. */
export interface Verdict {
  readonly of: Labelled;
  readonly flags: readonly Flag[];
  /** Flags where there is no loop, or none yet. */
  readonly wrong: readonly Flag[];
  /** Flags where there is one. */
  readonly right: readonly Flag[];
  /** From the label's start to the first right flag, in turns; 0 or -1 where it was seen at once. */
  readonly delay: number | undefined;
}

/** A flag this many turns before the label's start is still right. */
const GRACE = 1;

export function verdictOf(rule: Rule, one: Labelled): Verdict {
  const flags = rule.flags(one);
  const start = one.loops ? (one.start ?? 0) : Number.POSITIVE_INFINITY;
  const right = flags.filter(({ turn }) => turn >= start - GRACE);
  const [hit] = right;
  return {
    of: one,
    flags,
    wrong: flags.filter(({ turn }) => turn < start - GRACE),
    right,
    delay: hit === undefined ? undefined : hit.turn - start,
  };
}

/** The hardest thing that was done. */
export function hardest(flags: readonly Flag[]): Rung | undefined {
  return rungs.findLast((rung) => flags.some((flag) => flag.rung === rung));
}

/** The verdict is not what the label asks for. */
export function isWrong({ of, wrong, right }: Verdict): boolean {
  return wrong.length > 0 || (of.loops && right.length === 0);
}
