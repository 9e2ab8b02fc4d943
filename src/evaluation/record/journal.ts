import { containedEntry, type EventContext, journalEntry, type JournalEvent } from "../../session/session.ts";
import type { ExchangeOutcome } from "../outcome.ts";
import type { RunUpdate } from "../run-update.ts";

/** Owner of the entries of all runs that no upstream has let in: whoever changes the key has no further share by that. */
const UNVERIFIED = "strangers";

/** Appends what happened in a run to the journal. Never rejects. */
export async function appendEntry(
  update: RunUpdate,
  event: JournalEvent,
  outcome: ExchangeOutcome,
  type: EventContext["type"] = "intervention",
): Promise<void> {
  const { identity, context, isUnverified } = update;
  const { stores, stamp, mode, policy, placement } = context;
  const { tenant = identity.tenant, arm } = placement;
  const place = {
    type,
    key: update.sessionKey(outcome.answer),
    tenant,
    policy: policy.name,
    mode,
    ...(arm && { arm }),
  };
  const entry = journalEntry(identity, event, { ...stamp(), ...place });
  await context.inBackground(() => stores.journal.append(entry, isUnverified ? UNVERIFIED : tenant));
}

/** Reports a loop that is one step from its forced end, and one that was left there. Never rejects. */
export async function reportWarnings(update: RunUpdate, outcome: ExchangeOutcome): Promise<void> {
  const { warnings, tip, identity, context } = update;
  const { warning, nearMiss } = warnings;
  const at = tip.total - 1;
  if (nearMiss !== undefined) await appendEntry(update, { ...nearMiss, at: at - 1 }, outcome, "near-miss");
  if (warning === undefined) return;
  context.log.warn({ session: identity.label, step: at, ...warning }, "loop-warning");
  await appendEntry(update, { ...warning, at }, outcome, "warning");
}

/** Records that an operator ended the exchange, and nothing else: its steps come again with the next request, if there is one. Never rejects. @returns 0 steps */
export async function recordContained(update: RunUpdate, outcome: ExchangeOutcome): Promise<number> {
  const { identity, containment, context } = update;
  const { tenant = identity.tenant } = context.placement;
  const key = update.sessionKey(outcome.answer);
  const order = containment ?? context.containments.of(identity.key, key) ?? {};
  const note = outcome.contained ? "an open answer was ended" : "a request was answered with the reason";
  const entry = containedEntry({ label: identity.label, key, tenant }, order, { ...context.stamp(), note });
  await context.inBackground(() => context.stores.journal.append(entry, tenant));
  return 0;
}

/** Note for operators about an answer that was cut off, or would have been. */
export function cutNote({ laps, blockTokens, calls }: NonNullable<ExchangeOutcome["runaway"]>): string {
  if (calls !== undefined) return `${calls} calls in one answer, one of them ${laps} times`;
  return `${laps} laps of about ${blockTokens} tokens`;
}
