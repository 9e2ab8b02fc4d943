import { loopText } from "../../activity/activity.ts";
import type { Policy } from "../../policy/policy.ts";
import { type Intervention, isBlocked } from "../../session/session.ts";
import { partsOf } from "../../store/store.ts";
import type { ExchangeOutcome } from "../outcome.ts";
import type { RunUpdate } from "../run-update.ts";

/** Interventions of one exchange. */
interface Led {
  readonly intervention: Intervention | undefined;
  readonly recovered: Intervention | undefined;
}

/** Fields of a session's entry by which operators know its state, as far as an exchange has changed them. @param slot its thread's place */
export function stateAfter(
  { tip, stored, context, identity }: RunUpdate,
  led: Led,
  outcome: ExchangeOutcome,
  slot: number,
): Record<string, string> {
  const wasBlocked = stored !== undefined && isBlocked(stored);
  const isNow = isBlocked(tip) || (led.intervention !== undefined && led.intervention.rung !== "nudge");
  const blocks = isNow && context.mode === "enforce";
  const newest = led.intervention ?? tip.interventions.at(-1);
  const state = { ...led, isLifted: wasBlocked && !isNow, isNow, isHeeded: isHeeded(newest, outcome, context.policy) };
  const set: Record<string, string> = {};
  if (blocks) set[`blocked${slot}`] = "1";
  else if (wasBlocked) set[`blocked${slot}`] = "";
  if (newest === undefined) return set;
  const entry = loopEntryAfter(newest, state);
  if (entry === undefined) return set;
  const { thread } = partsOf(identity.thread);
  set.loop = entry === "none" ? "" : loopText(newest, thread, context.policy, entry === "ended");
  return set;
}

/** New state of the entry's loop; undefined: unchanged. */
function loopEntryAfter(
  { rung }: Intervention,
  {
    intervention,
    recovered,
    isLifted,
    isNow,
    isHeeded,
  }: Led & { readonly isLifted: boolean; readonly isNow: boolean; readonly isHeeded: boolean },
): "none" | "looping" | "ended" | undefined {
  const ends = isNow && rung !== "nudge";
  if (intervention === undefined && (isLifted || recovered !== undefined)) return "none";
  if (isHeeded && !ends) return "none";
  if (ends && (isHeeded || (intervention !== undefined && rung === "short-circuit"))) return "ended";
  return intervention === undefined ? undefined : "looping";
}

/** Whether a loop of calls has come to an answer that leaves nothing to be done: no call, or the done tool's alone. */
function isHeeded(
  loop: Intervention | undefined,
  { answer, runaway }: ExchangeOutcome,
  { doneTools }: Policy,
): boolean {
  if (loop === undefined || (loop.tools ?? []).length === 0 || answer === undefined || runaway) return false;
  return answer.step.calls.every(({ tool }) => doneTools.includes(tool));
}
