import { isWarning, type LoopCounter } from "../../policy/policy.ts";
import type { Ledger } from "./ledger.ts";

/** Changes that a run's newest step made to a loop that nothing was done about. */
export interface WarningChanges {
  /** One more step of the loop, and the run is forced to its end, or ended. */
  readonly warning?: LoopCounter;
  /** Near miss: the run was that near, and this step has not gone on with the loop. */
  readonly nearMiss?: LoopCounter;
}

/** @param before the counter of the step before the newest */
export function warningChanges(before: LoopCounter | undefined, tip: Ledger): WarningChanges {
  const { counter } = tip;
  const isNear = before !== undefined && isWarning(before);
  return {
    ...(counter !== undefined && isWarning(counter) && { warning: counter }),
    ...(isNear && hasLeft(before.loop, tip) && { nearMiss: before }),
  };
}

function hasLeft(loop: string, { counter, interventions, total }: Ledger): boolean {
  return (
    counter?.loop !== loop &&
    !interventions.some((intervention) => intervention.loop === loop && intervention.at >= total - 2)
  );
}
