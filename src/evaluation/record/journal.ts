import { recordText } from "../../activity/activity.ts";
import { isWarning } from "../../policy/policy.ts";
import type { Intervention } from "../../session/session.ts";
import { type Evaluation, sessionKeyOf } from "../evaluate.ts";
import type { ExchangeOutcome } from "../outcome.ts";

/** Event: an intervention, or a runaway answer that was cut off (`cut`). */
type JournalEvent = Pick<Intervention, "grade" | "count" | "repeats" | "at" | "tools" | "note" | "foreseen"> & {
  /** The count that leads to the rung, where it has not been reached. */
  readonly of?: number;
  readonly rung: Intervention["rung"] | "cut";
  readonly detector: Intervention["detector"] | "runaway-output";
};

/** `recovered`: the run has gone on without the loop. `warning`, `near-miss`: one step short of its end, and away from there. */
type EventType = "intervention" | "recovered" | "warning" | "near-miss";

/** Owner of the entries of all runs that no upstream has let in: whoever changes the key has no further share by that. */
const UNVERIFIED = "strangers";

/** Whether an operator has ended the exchange, before its answer or in the midst of it. */
export function wasContained({ containment }: Evaluation, outcome: ExchangeOutcome): boolean {
  return containment !== undefined || outcome.contained === true;
}

/** What was done about an exchange, in order: on its request, then on its answer. */
export function interventionsOf({ merged }: Evaluation, { unsaid, intervention }: ExchangeOutcome) {
  return [unsaid === true ? undefined : merged.news, intervention?.intervention].filter((one) => one !== undefined);
}

/** Appends what an exchange has led to; a cut would have been the thread's next step. Never rejects. */
export async function appendEvents(evaluation: Evaluation, outcome: ExchangeOutcome): Promise<void> {
  await appendWarnings(evaluation, outcome);
  const events: JournalEvent[] = [...interventionsOf(evaluation, outcome)];
  if (outcome.runaway !== undefined) {
    const [{ laps: count }, at] = [outcome.runaway, evaluation.merged.tip.total];
    events.push({ rung: "cut", detector: "runaway-output", count, at, tools: [], note: cutNote(outcome.runaway) });
  }
  await Promise.all(events.map((event) => appendEvent(evaluation, event, outcome)));
}

/** Facts alone, no text of the conversation. Never rejects. */
export function appendEvent(
  evaluation: Evaluation,
  { rung, detector, grade, count, of, repeats, at: step, tools, note, foreseen }: JournalEvent,
  outcome: ExchangeOutcome,
  type: EventType = "intervention",
): Promise<void> {
  const { mode, policy, placement } = evaluation.context;
  const facts = { rung, detector, grade, count, of, repeats, step, tools, note, foreseen };
  return append(evaluation, outcome, { type, policy: policy.name, mode, arm: placement.arm, ...facts });
}

/** A loop that is one step from its forced end, and one that was left there. */
async function appendWarnings(evaluation: Evaluation, outcome: ExchangeOutcome): Promise<void> {
  const { merged, request, run, context } = evaluation;
  const { tip, save, counterBefore } = merged;
  // A request that came again has been counted.
  if (save === undefined || request.compacts) return;
  const at = tip.total - 1;
  const goesOn = (loop: string) =>
    tip.counter?.loop === loop || tip.interventions.some((one) => one.loop === loop && one.at >= tip.total - 2);
  if (counterBefore !== undefined && isWarning(counterBefore) && !goesOn(counterBefore.loop))
    await appendEvent(evaluation, { ...counterBefore, at: at - 1 }, outcome, "near-miss");
  const { counter } = tip;
  if (counter === undefined || !isWarning(counter)) return;
  context.log.warn({ session: run.identity.label, step: at, ...counter }, "loop-warning");
  await appendEvent(evaluation, { ...counter, at }, outcome, "warning");
}

/** Nothing else is recorded: its steps come again with the next request, if there is one. Never rejects. @returns 0 steps */
export async function recordContained(evaluation: Evaluation, outcome: ExchangeOutcome): Promise<number> {
  const { run, containment, context } = evaluation;
  const key = sessionKeyOf(evaluation, outcome.answer);
  const { actor, reason } = containment ?? context.containments.of(run.identity.key, key) ?? {};
  const note = outcome.contained ? "an open answer was ended" : "a request was answered with the reason";
  await append(evaluation, outcome, { type: "contained", note, actor, reason });
  return 0;
}

async function append(evaluation: Evaluation, { answer }: ExchangeOutcome, facts: object): Promise<void> {
  const { context, isUnverified, run } = evaluation;
  const { identity } = run;
  const { tenant = identity.tenant } = context.placement;
  const key = sessionKeyOf(evaluation, answer);
  const entry = recordText({ ...context.stamp(), key, session: identity.label, tenant, ...facts });
  await context.inBackground(() => context.stores.journal.append(entry, isUnverified ? UNVERIFIED : tenant));
}

export function cutNote({ laps, blockTokens, calls }: NonNullable<ExchangeOutcome["runaway"]>): string {
  if (calls !== undefined) return `${calls} calls in one answer, one of them ${laps} times`;
  return `${laps} repeats of about ${blockTokens} tokens`;
}
