import type { DetectorName } from "../engine/engine.ts";

/** Rungs: how hard to intervene, weakest first. */
export const rungs = ["nudge", "force-done", "short-circuit"] as const;
/** How hard to intervene. */
export type Rung = (typeof rungs)[number];

/** Ladder: from which count on each rung is reached; a rung without a number is never reached. */
export type Ladder = Partial<Readonly<Record<Rung, number>>>;

/** A detector's main ladder under its name, the ladders of its grades under `name:grade`. */
export type LadderName = DetectorName | `${DetectorName}:${string}`;

export type Ladders = Partial<Readonly<Record<LadderName, Ladder>>>;
