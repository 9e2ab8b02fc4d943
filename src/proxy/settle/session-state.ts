import { loopText } from "../../activity/activity.ts";
import type { Policy } from "../../policy/policy.ts";
import { type Intervention, isBlocked } from "../../session/session.ts";
import { partsOf } from "../../store/store.ts";
import type { ExchangeContext } from "../guard-context.ts";
import type { ExchangeOutcome } from "../intercept/context.ts";
import type { JudgedWhole } from "../request/decide-request.ts";

/** What an exchange led to. */
interface Led {
  readonly made: Intervention | undefined;
  readonly recovered: Intervention | undefined;
}

/** Fields of a session's entry by which operators know its state, as far as an exchange has changed them. @param slot its thread's place */
export function stateAfter(
  { considered, found }: JudgedWhole,
  led: Led,
  went: ExchangeOutcome,
  context: ExchangeContext,
  slot: number,
): Record<string, string> {
  const { tip } = considered.followed;
  const wasBlocked = found.ledger !== undefined && isBlocked(found.ledger);
  const isNow = isBlocked(tip) || (led.made !== undefined && led.made.rung !== "nudge");
  const blocks = isNow && context.mode === "enforce";
  const newest = led.made ?? tip.interventions.at(-1);
  const state = { ...led, isLifted: wasBlocked && !isNow, blocks, isHeeded: isHeeded(newest, went, context.policy) };
  const set: Record<string, string> = {};
  if (blocks) set[`blocked${slot}`] = "1";
  else if (wasBlocked) set[`blocked${slot}`] = "";
  if (newest === undefined) return set;
  const entry = loopEntryAfter(newest, state);
  if (entry === undefined) return set;
  const { thread } = partsOf(considered.identity.thread);
  set.loop = entry === "none" ? "" : loopText(newest, thread, context.policy, entry === "ended");
  return set;
}

/** What becomes of the entry's loop; undefined: it stays as it is. */
function loopEntryAfter(
  { rung }: Intervention,
  {
    made,
    recovered,
    isLifted,
    blocks,
    isHeeded,
  }: Led & { readonly isLifted: boolean; readonly blocks: boolean; readonly isHeeded: boolean },
): "none" | "looping" | "ended" | undefined {
  const ends = blocks && rung !== "nudge";
  if (made === undefined && (isLifted || recovered !== undefined)) return "none";
  if (isHeeded && !ends) return "none";
  if (ends && (isHeeded || (made !== undefined && rung === "short-circuit"))) return "ended";
  return made === undefined ? undefined : "looping";
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
