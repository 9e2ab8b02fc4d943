import type { Sign } from "../../text/sign.ts";
import { stepKey } from "../../engine/engine.ts";
import type { Conversation, Step } from "../../step.ts";
import { partsOf, type SessionKey, type SessionStore, type Stored, type ThreadKey } from "../../store/store.ts";
import { mergeHistory, type MergeResult } from "./merge.ts";
import { type Identity, randomIds } from "../identity/identify.ts";
import { splitByTurns } from "./appended-messages.ts";
import { changeLedger, ledgerIn, ledgerText, plainOf, readLedger } from "./ledger-text.ts";
import { withIntercepted } from "./answers.ts";
import {
  emptyLedger,
  type EvaluationContext,
  type Intervention,
  type JudgeAdvice,
  knownKeys,
  type Ledger,
  type OpenStep,
  prefixAfter,
  present,
  reach,
} from "./ledger.ts";
import { lastCallAlias, readPointer, threadOfNewestStep } from "../identity/aliases.ts";

/** A ledger as loaded, with the version for the next compare-and-set; without one where it was not read for this request. */
export interface StoredLedger {
  readonly ledger: Ledger | undefined;
  readonly version: number | undefined;
  /** Session id that the run goes by, where the request does not tell it. */
  readonly name?: string | undefined;
  /** Index of the step that the request begins with, where it shows that alone and the guard has relayed it. */
  readonly goesOnAt?: number;
}

export const noStoredLedger: StoredLedger = { ledger: undefined, version: 0 };

/**
 * One round trip, and others only where the name is new to a run that has steps: one whose beginning was replaced by a summary is found
 * by its newest step. @throws whatever the store throws
 */
export async function loadLedger(
  store: SessionStore,
  identity: Identity,
  conversation: Conversation,
  sign: Sign,
): Promise<StoredLedger> {
  const lastCall = conversation.isUntold ? undefined : lastCallAlias(identity, conversation.steps[0], sign);
  const [own, relayed] = await Promise.all([store.read(identity.thread), lastCall && store.read(lastCall)]);
  const before = relayed && (await threadBefore(store, identity, relayed, own));
  if (before !== undefined) return before;
  if (own !== undefined) {
    const ledger = readLedger(own.json);
    const turns = splitByTurns(ledger, conversation, sign);
    return { ledger: shownLedger(ledger, identity, turns, sign), version: own.version, name: ledger?.name };
  }
  const elsewhere = await threadOfNewestStep(store, identity, conversation, sign);
  if (elsewhere === undefined) return noStoredLedger;
  const { thread, ledger } = elsewhere;
  return { ledger: renamed(ledger, thread, identity), version: 0, name: ledger.name };
}

/**
 * The ledger, if the request proves that it belongs to the same run. A session that is only derived is named by its beginning,
 * and others may begin alike: its ledger counts where the request carries all the steps that it has counted, or a call of an
 * id that no other run has. Undefined: the history alone is judged.
 */
function shownLedger(ledger: Ledger | undefined, identity: Identity, conversation: Conversation, sign: Sign) {
  if (ledger === undefined || identity.isGiven || identity.isProven === true) return ledger;
  return carriesAll(ledger, conversation, sign) || sharesCall(ledger, conversation, sign) ? ledger : undefined;
}

/**
 * No other run sends this very history: its session was given, or it has a call of an id that no other run has. Not before the
 * first step, when there is nothing that could fail to grow.
 */
export function isOfOneRun({ isGiven, isProven }: Identity, steps: readonly Step[]): boolean {
  return steps.length > 0 && (isGiven || isProven === true || steps.some((step) => randomIds(step) !== undefined));
}

function carriesAll({ total, carried, prefix }: Ledger, { steps }: Conversation, sign: Sign): boolean {
  if (carried !== total || steps.length < total) return false;
  return steps.slice(0, total).reduce((before, step) => prefixAfter(before, step, sign), "") === prefix;
}

function sharesCall(ledger: Ledger, { steps }: Conversation, sign: Sign): boolean {
  const keys = knownKeys(ledger);
  return steps.some((step) => randomIds(step) !== undefined && keys.has(stepKey(step, sign)));
}

function renamed(ledger: Ledger, from: ThreadKey, { key }: Identity): Ledger {
  const { budgetKey = partsOf(from).session as SessionKey } = ledger;
  return { ...ledger, root: undefined, ...(budgetKey !== key && { budgetKey }) };
}

/** The thread whose newest answer is all that a request shows, if nobody has gone on from that since. */
async function threadBefore(store: SessionStore, identity: Identity, relayed: Stored, own: Stored | undefined) {
  const { thread, session, named } = readPointer(relayed) ?? {};
  if (thread === undefined || named === undefined) return undefined;
  const ledger = thread === identity.thread ? own && readLedger(own.json) : await ledgerIn(store, thread);
  if (ledger === undefined || reach(ledger) !== named.at) return undefined;
  const name = identity.isGiven ? {} : { name: session };
  return { ledger: renamed(ledger, thread, identity), version: own?.version ?? 0, goesOnAt: named.at, ...name };
}

/**
 * Saves what a request added to its thread. When another request of the thread was faster, the conversation is merged
 * into what that one left; merging is idempotent, so nothing is counted twice and nothing is lost.
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
    const isLate = winner !== undefined && merged !== undefined && reach(merged) <= reach(winner);
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
  return latest && (open ?? isEnded) ? { ...latest, ...present({ open, endedBy }) } : ledger;
}

/** Input of a merge, kept for another attempt on a newer record. */
interface MergeInput {
  readonly conversation: () => Conversation;
  readonly evaluation: EvaluationContext;
  /** Intervention on its answer, if that did not reach the client as it was. */
  readonly intercepted?: Intervention | undefined;
  /** Its answer, where no later request will tell what that did. */
  readonly open?: OpenStep | undefined;
  /** The calls of the guard's own answer that ended the run, if it has any. */
  readonly endedBy?: string | undefined;
  readonly ttlMs: number;
}

interface AdvisedThread {
  readonly identity: Identity;
  readonly stored: StoredLedger;
  readonly conversation: Conversation;
}

const MAX_ADVICE = 64;

/**
 * Keeps a judge's advice in the thread's ledger; the request that it is about may not be saved there yet. Undefined after too many
 * lost races. @throws whatever the store throws
 */
export async function saveAdvice(
  store: SessionStore,
  { identity, stored, conversation }: AdvisedThread,
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
