import { isWarning, type LoopCounter } from "../../policy/policy.ts";
import type { SessionKey } from "../../store/store.ts";
import type { Identity } from "../identity/identify.ts";
import type { Intervention, Ledger } from "./ledger.ts";

/** Context of a journal event: when and where something was done. */
export interface EventContext {
  readonly id: string;
  /** Unix time, seconds. */
  readonly created: number;
  readonly mode: string;
  /** `recovered`: the run has gone on without the loop. `warning`, `near-miss`: one step short of its end, and away from there. */
  readonly type: "intervention" | "recovered" | "warning" | "near-miss";
  /** The session as the directory has it. */
  readonly key: SessionKey;
  readonly tenant: string;
  readonly policy: string;
  readonly arm?: string;
}

/** Event: an intervention, or a runaway answer that was cut off (`cut`). */
export type JournalEvent = Pick<Intervention, "grade" | "count" | "repeats" | "at" | "tools" | "note" | "foreseen"> & {
  /** The count that leads to the rung, where it has not been reached. */
  readonly of?: number;
  readonly rung: Intervention["rung"] | "cut";
  readonly detector: Intervention["detector"] | "runaway-output";
};

/** Journal entry of an exchange that an operator's order has ended. */
export function containedEntry(
  { label: session, key, tenant }: Pick<Identity, "label" | "key" | "tenant">,
  order: { readonly actor?: string; readonly reason?: string },
  occasion: { readonly id: string; readonly created: number; readonly note: string },
): string {
  const { actor, reason } = order;
  return JSON.stringify({ ...occasion, type: "contained", key, session, tenant, actor, reason });
}

/** Journal entry as JSON: facts, no text of the conversation. */
export function journalEntry(
  { label: session }: Pick<Identity, "label">,
  event: JournalEvent,
  occasion: EventContext,
): string {
  const { rung, detector, grade, count, of, repeats, at, tools, note, foreseen } = event;
  const fields = { rung, detector, grade, count, of, repeats, step: at, tools, note, foreseen };
  return JSON.stringify({ ...occasion, session, ...fields });
}

/**
 * What a run's newest step made of a loop that nothing was done about: a warning where one more step of it forces the run to its end, a
 * near miss where the run was that near and has not gone on with it. @param before the counter of the step before the newest
 */
export function warningChanges(before: LoopCounter | undefined, tip: Ledger) {
  const { counter } = tip;
  const isNearMiss = before !== undefined && isWarning(before) && hasLeft(before.loop, tip);
  return {
    warning: counter !== undefined && isWarning(counter) ? counter : undefined,
    nearMiss: isNearMiss ? before : undefined,
  };
}

function hasLeft(loop: string, { counter, interventions, total }: Ledger): boolean {
  return (
    counter?.loop !== loop &&
    !interventions.some((intervention) => intervention.loop === loop && intervention.at >= total - 2)
  );
}
