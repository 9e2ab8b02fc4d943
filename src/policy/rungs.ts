import type { DetectorName } from "../engine/engine.ts";

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
