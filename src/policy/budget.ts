import { type DetectorName, laddersOfLimit, memoizeByRef } from "../engine/engine.ts";

/** Rungs: how hard to intervene, weakest first. */
export const rungs = ["nudge", "force-done", "short-circuit"] as const;
/** How hard to intervene. */
export type Rung = (typeof rungs)[number];

/** What a ladder has a count for, in the order in which it is climbed: the rungs, and a nudge that is said once more. */
export const stages = ["nudge", "second-nudge", "force-done", "short-circuit"] as const;
export type Stage = (typeof stages)[number];

export const rungOf = (stage: Stage): Rung => (stage === "second-nudge" ? "nudge" : stage);

/**
 * Ladder: from which count on each stage is reached; one without a number is never reached. A ladder with a second nudge is for
 * what is suspected alone: it is climbed stage by stage, and only where the one below was said and not heeded.
 */
export type Ladder = Partial<Readonly<Record<Stage, number>>>;

/** A detector's main ladder under its name, the ladders of its grades under `name:grade`. */
export type LadderName = DetectorName | `${DetectorName}:${string}`;

export type Ladders = Partial<Readonly<Record<LadderName, Ladder>>>;

/** Limits of a session. */
export interface BudgetLimits {
  /** Assistant turns, those of its sub-agents included. */
  readonly steps?: number;
  /** Input and output together. */
  readonly tokens?: number;
  /** In the currency of the price table. */
  readonly cost?: number;
  /** Wall clock, from the session's first request on. */
  readonly seconds?: number;
}

export type BudgetKind = keyof BudgetLimits;

export const budgetKinds: readonly BudgetKind[] = ["steps", "tokens", "cost", "seconds"];

/** Money is counted in whole millionths, so that sums stay exact. */
export const MILLIONTHS = 1_000_000;

/** Shares of a limit at which a nudge and a short-circuit follow; a force-done comes at the limit itself. */
const WARNED = 0.75;
const ENDED = 1.25;

/** Ladder for a limit: the policy's own, or one derived from the limit. */
export function budgetLadder(policy: Limiting, kind: BudgetKind): Ladder | undefined {
  const { own, main } = laddersOfLimit(kind);
  return policy.ladders?.[own] ?? ladderOf(policy, kind) ?? (main === undefined ? undefined : policy.ladders?.[main]);
}

/** Count at which a run has to end, in the detector's unit. Undefined: there is no limit. */
export function budgetLimitOf(policy: Limiting, kind: BudgetKind): number | undefined {
  const ladder = budgetLadder(policy, kind);
  return ladder?.["force-done"] ?? ladder?.["short-circuit"] ?? ladder?.nudge;
}

/** The kinds that have to be counted at all. */
export const limitedKinds = memoizeByRef(
  (policy: Limiting): ReadonlySet<BudgetKind> =>
    new Set(budgetKinds.filter((kind) => budgetLimitOf(policy, kind) !== undefined)),
);

export function limitsBudget(policy: Limiting): boolean {
  return limitedKinds(policy).size > 0;
}

/** The part of a policy that limits a session. */
export interface Limiting {
  readonly budget?: BudgetLimits;
  readonly ladders?: Ladders;
}

function ladderOf({ budget }: Limiting, kind: BudgetKind): Ladder | undefined {
  const amount = budget?.[kind];
  if (amount === undefined) return undefined;
  const limit = kind === "cost" ? Math.round(amount * MILLIONTHS) : amount;
  return {
    nudge: Math.ceil(limit * WARNED),
    "force-done": limit,
    "short-circuit": Math.max(limit + 1, Math.ceil(limit * ENDED)),
  };
}
