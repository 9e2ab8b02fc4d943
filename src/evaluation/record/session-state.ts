import { type LoopEntry, loopEntry, type RunState } from "../../activity/activity.ts";
import { doneNames, type Policy } from "../../policy/policy.ts";
import { type Intervention, isBlocked } from "../../session/session.ts";
import { partsOf } from "../../store/store.ts";
import type { ExchangeOutcome } from "../outcome.ts";
import type { RunUpdate } from "../run-update.ts";
import { cutNote } from "./journal.ts";

/** Steps without its loop after which a run counts as recovered. */
export const RECOVERED_AFTER = 5;

/** State of a run after an exchange. In observe mode nobody was warned, and what would have ended it did not. */
export function stateAfter(
  { tip, context: { mode, policy }, isKnownLoop }: RunUpdate,
  intervention: Intervention | undefined,
  outcome: ExchangeOutcome,
): RunState {
  const { interventions, counter, total, since } = tip;
  const last = intervention ?? interventions.findLast(({ at }) => at >= since);
  const isBlock = isBlocked(tip) || (intervention !== undefined && intervention.rung !== "nudge");
  const block = last === undefined || !isBlock ? undefined : last.rung === "short-circuit" ? "ended" : "forced";
  if (outcome.runaway !== undefined) return "cut";
  if (block !== undefined && mode === "enforce") return block;
  if (isFinal(outcome, policy)) return "done";
  if (last === undefined) return "running";
  if (intervention === undefined && total > last.at + RECOVERED_AFTER) return "recovered";
  if (block !== undefined) return block;
  const goesOn = intervention === undefined ? counter?.loop === last.loop : isKnownLoop(intervention);
  return goesOn || mode === "observe" ? "looping" : "warned";
}

/** An answer that leaves nothing to be done: no call, or the done tool's alone. */
function isFinal({ answer }: ExchangeOutcome, policy: Policy): boolean {
  return answer?.step.calls.every(({ tool }) => doneNames(policy).includes(tool)) ?? false;
}

/** The loop that an exchange has shown, if it has; undefined: the entry's loop stays. */
export function loopAfter(
  { tip, identity, context: { policy } }: RunUpdate,
  intervention: Intervention | undefined,
  { runaway }: ExchangeOutcome,
): LoopEntry | undefined {
  const { thread } = partsOf(identity.thread);
  if (intervention !== undefined) return loopEntry(intervention, thread, policy);
  if (runaway === undefined) return undefined;
  const own = { detector: "runaway-output", tools: [], grade: null, rung: "cut", next: null } as const;
  return { ...own, count: runaway.laps, step: tip.total, thread, note: cutNote(runaway) };
}
