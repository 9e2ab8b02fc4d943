import type { DetectorName, ToolRules } from "../engine/engine.ts";
import type { Language } from "./wording.ts";

/** How hard to intervene, weakest first. */
export const rungs = ["nudge", "force-done", "short-circuit"] as const;
export type Rung = (typeof rungs)[number];

/** From which count on a rung is reached; a rung without a number is never reached. */
export type Ladder = Partial<Readonly<Record<Rung, number>>>;

/** A detector's main ladder under its name, the ladders of its grades under `name:grade`. */
export type LadderName = DetectorName | `${DetectorName}:${string}`;

/** Which loops matter, how soon, and what is said about them. Plain JSON. */
export interface Policy {
  readonly name: string;
  readonly ladders: Partial<Readonly<Record<LadderName, Ladder>>>;
  /** An ignored force-done is ended on the very next step, whatever the count. */
  readonly finalResponseAfterFailure: boolean;
  /** What happens while a budget cannot be read because the store fails: `go on` with what the history tells, or `stop`. */
  readonly withoutBudget: "go on" | "stop";
  /** How a short-circuit speaks: as a valid answer, or as an error that no SDK retries. */
  readonly ending: "answer" | "error";
  /** Tools that end a run, in order of preference. */
  readonly doneTools: readonly string[];
  /** The language of what is told to the model; `auto`: that of the user's messages. */
  readonly language: Language | "auto";
  readonly tools: ToolRules;
}

/** Whether a session's steps have to be counted at all. */
export function limitsBudget({ ladders }: Policy): boolean {
  return ladders.budget !== undefined || ladders["budget:steps"] !== undefined;
}
