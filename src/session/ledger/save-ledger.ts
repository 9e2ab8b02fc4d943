import { noMemory } from "../../policy/policy.ts";
import type { Conversation } from "../../step.ts";
import type { SessionStore, ThreadKey } from "../../store/store.ts";
import type { Identity } from "../identity/identify.ts";
import { withPendingCounted } from "./advance.ts";
import { withIntercepted } from "./answers.ts";
import { shownLedger, type StoredLedger } from "./find-run.ts";
import {
  emptyLedger,
  type EvaluationContext,
  type Intervention,
  type JudgeAdvice,
  type Ledger,
  type OpenStep,
  reach,
} from "./ledger.ts";
import { ledgerText, plainOf, readLedger } from "./ledger-text.ts";
import { mergeHistory, type MergeResult } from "./merge.ts";

/**
 * Saves what a request added to its thread. Where another request was faster, the conversation is merged into what that one left.
 * @returns the number of steps added to the record; undefined after too many lost races @throws whatever the store throws
 */
export async function saveLedger(
  store: SessionStore,
  identity: Identity,
  stored: StoredLedger,
  merge: MergeResult,
  again: MergeInput,
): Promise<number | undefined> {
  const ledger = completed(merge.save, stored.ledger, again);
  if (ledger === undefined || !mayBeFound(ledger, identity, again)) return 0;
  const { thread } = identity;
  const { evaluation, intercepted, ttlMs } = again;
  if (await store.write(thread, ledgerText(ledger), stored.version, ttlMs, plainOf(ledger)))
    return reach(ledger) - reach(stored.ledger);
  const conversation = again.conversation();
  const changed = await changeLedger(store, thread, ttlMs, (winner) => {
    const record = shownLedger(winner, identity, conversation, evaluation.sign);
    const merged = mergeHistory(record, conversation, evaluation).save;
    // The winner knows as much or more: this request came late, and its shorter history must not replace the record.
    const isBehind = winner !== undefined && merged !== undefined && reach(merged) <= reach(winner);
    // Where no work is left it was read by half.
    const isLate = isBehind || evaluation.work?.isSpent() === true;
    if (isLate && intercepted === undefined) return undefined;
    return completed(isLate ? winner : merged, winner, again);
  });
  return changed && reach(changed.ledger) - reach(changed.before);
}

/** A run that nobody names has another name once it has a step: nobody asks again for what it had before, which is nothing. */
function mayBeFound(ledger: Ledger, { isGiven, isProven }: Identity, { conversation }: MergeInput): boolean {
  if (reach(ledger) > 0 || (ledger.open ?? ledger.name) !== undefined || isGiven || isProven === true) return true;
  const { showsState, isUntold } = conversation();
  return showsState === true || isUntold === true;
}

function completed(record: Ledger | undefined, stored: Ledger | undefined, { intercepted, open, endedBy }: MergeInput) {
  const ledger = intercepted === undefined ? record : withIntercepted(record ?? stored, intercepted);
  const latest = ledger ?? stored;
  const isEnded = endedBy !== undefined && endedBy !== latest?.endedBy;
  return latest && (open ?? isEnded)
    ? { ...latest, open: open ?? latest.open, endedBy: endedBy ?? latest.endedBy }
    : ledger;
}

interface MergeInput {
  readonly conversation: () => Conversation;
  readonly evaluation: EvaluationContext;
  /** Intervention on its answer, if that did not reach the client as it was. */
  readonly intercepted?: Intervention | undefined;
  readonly open?: OpenStep | undefined;
  /** The calls of the guard's own answer that ended the run, if it has any. */
  readonly endedBy?: string | undefined;
  readonly ttlMs: number;
}

const MAX_ADVICE = 64;

/** Keeps a judge's advice; the request that it is about may not be saved yet. Undefined after too many lost races. @throws whatever the store throws */
export async function saveAdvice(
  store: SessionStore,
  { identity, stored, conversation }: { identity: Identity; stored: StoredLedger; conversation: Conversation },
  advice: JudgeAdvice,
  evaluation: EvaluationContext,
  ttlMs: number,
): Promise<StoredLedger | undefined> {
  const changed = await changeLedger(store, identity.thread, ttlMs, (kept) => {
    // It was reset meanwhile.
    if (kept === undefined && stored.version !== 0) return undefined;
    const own = kept === undefined ? stored.ledger : shownLedger(kept, identity, conversation, evaluation.sign);
    const ledger = own ?? emptyLedger(conversation, evaluation);
    return { ...ledger, advice: [...(ledger.advice ?? []), advice].slice(-MAX_ADVICE) };
  });
  return changed && { ...stored, ledger: changed.ledger, version: changed.version };
}

/** This many writers at once lose nothing; beyond that the record is left to the others. */
const MAX_ATTEMPTS = 32;

/**
 * Changes a thread's ledger by compare-and-set: `change` is asked again with what another writer has left. Nothing is written where it
 * gives undefined, or what is there. Undefined after too many lost races. @throws whatever the store throws
 */
async function changeLedger(
  store: SessionStore,
  thread: ThreadKey,
  ttlMs: number,
  change: (ledger: Ledger | undefined) => Ledger | undefined,
) {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await store.read(thread);
    const { version = 0 } = stored ?? {};
    const before = stored && readLedger(stored.json);
    const ledger = change(before);
    if (ledger === undefined || ledger === before) return { ledger: before, version, before };
    if (await store.write(thread, ledgerText(ledger), version, ttlMs, plainOf(ledger)))
      return { ledger, version: version + 1, before };
  }
  return undefined;
}

/** Lifts every block in a thread: what repeats from here on is counted afresh. Notes that were given stay in their places. @throws whatever the store throws */
export async function releaseThread(
  store: SessionStore,
  thread: ThreadKey,
  evaluation: EvaluationContext,
  ttlMs: number,
): Promise<void> {
  await changeLedger(store, thread, ttlMs, (ledger) => {
    if (ledger === undefined || ledger.interventions.length === 0) return undefined;
    const record = withPendingCounted(ledger, evaluation);
    const notes = record.interventions.filter(({ rung }) => rung === "nudge");
    return { ...record, since: record.total, memory: noMemory, interventions: notes };
  });
}
