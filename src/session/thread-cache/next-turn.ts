import { isNews, stepKey } from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import { asksForRepetition } from "../../runaway/runaway.ts";
import type { Conversation, Step } from "../../step.ts";
import type { SessionStore, ThreadKey } from "../../store/store.ts";
import { type CachedThread, type StoredCopy, type ThreadCache, unsavedTurns } from "./thread-cache.ts";
import { type BodyPrefix, extendedPrefix } from "./body-prefix.ts";
import { mergeAddition } from "../ledger/merge.ts";
import { isNearRung } from "../ledger/lookahead.ts";
import { stepAlias } from "../identity/identify.ts";
import type { EvaluationContext, Ledger } from "../ledger/ledger.ts";
import { writeBack, writeInTurn, writeNow, writeNowAmongOthers } from "./write-back.ts";
import { isTelling } from "../identity/aliases.ts";

/** A request that repeats the one before it of its thread, adds answered steps to it, and calls for nothing to be done. */
export interface NextTurn {
  readonly before: CachedThread;
  /** It adds the answer given by this process and its outcome, so no other replica has served the thread meanwhile. */
  readonly isNext: boolean;
  /** Where its messages end. */
  readonly prefix: BodyPrefix;
  readonly save: Ledger;
  readonly tip: Ledger;
  readonly asksForRepetition: boolean;
}

/** A continuation: the request's body, and where the messages end that it adds. */
interface Added {
  readonly body: Uint8Array;
  readonly end: number;
  readonly steps: readonly Step[];
  /** The cached thread was found by a call of the answer that was given here. */
  readonly byCall: boolean;
}

/** Undefined where something is to be done, or the answer has to be looked out for: that takes the whole conversation. */
export function nextTurn(before: CachedThread, added: Added, evaluation: EvaluationContext): NextTurn | undefined {
  const { body, end, steps, byCall } = added;
  const { grown, total } = before.save;
  const { save, tip } = mergeAddition(before.tip, grown ?? (total === 0 ? [] : undefined), steps, evaluation);
  if (tip.interventions.length > 0) return undefined;
  if (isNearRung(tip, evaluation.policy)) return undefined;
  const task = steps.flatMap(({ heard }) => heard).findLast((text) => isNews(text));
  return {
    before,
    isNext: byCall && steps.length === 1,
    prefix: extendedPrefix(before.prefix, body, end),
    save,
    tip,
    asksForRepetition: task === undefined ? before.asksForRepetition : asksForRepetition(task),
  };
}

/** Facts about a request that was read whole, once it is answered. */
interface Whole {
  readonly conversation: Conversation;
  /** As it is saved, and with its last step counted. */
  readonly ledger: Ledger;
  readonly tip: Ledger;
}

/** Whether the thread's next request can be told from a cached thread: all that was said is settled, and nothing has been done. */
export function canContinue({ conversation, ledger, tip }: Whole, sign: Sign): boolean {
  const { steps } = conversation;
  const last = steps.at(-1);
  if (last === undefined) return isBeginning(conversation, ledger);
  if (ledger.pending === undefined || ledger.budgetKey !== undefined) return false;
  if (tip.interventions.length > 0 || steps.some(({ calls }) => calls.some(({ outcome }) => outcome === undefined)))
    return false;
  if (ledger.carried + 1 !== steps.length || ledger.pending.fingerprint.key !== stepKey(last, sign)) return false;
  const step = steps.at(-2);
  const fingerprint = ledger.window.at(-1);
  if (step === undefined || fingerprint === undefined) return step === fingerprint;
  return fingerprint.key === stepKey(step, sign);
}

/** Nothing has been done yet, and later requests will tell what is. */
function isBeginning({ showsState, isUntold }: Conversation, { total, budgetKey }: Ledger): boolean {
  return total === 0 && budgetKey === undefined && showsState !== true && isUntold !== true;
}

/** An answer that was given to a turn, and how the next request will be found by its calls. */
export interface TurnAnswer {
  readonly step: Step;
  readonly callKeys: readonly string[];
}

/** A thread cache with the store behind it. */
export interface BackedThreadCache {
  readonly cache: ThreadCache;
  readonly store: SessionStore;
  /** The store is shared with other processes. */
  readonly isShared: boolean;
  readonly ttlMs: number;
}

/** The cached thread of a turn that has been answered. Written out: every exchange makes one, and spreads cost microseconds. */
function cachedThreadOf(turn: NextTurn, { step, callKeys }: TurnAnswer, sign: Sign, isShared: boolean): CachedThread {
  const { before, prefix, save, tip, asksForRepetition } = turn;
  const { headKey, identity, policy, model, models, stored, terms, streams } = before;
  const repeatsIds = before.repeatsIds || callKeys.some((key) => before.callKeys.includes(key));
  const alias = !repeatsIds && isTelling(step, [], identity) ? stepAlias(identity, step, sign) : undefined;
  return {
    callKeys,
    headKey,
    prefix,
    identity,
    policy,
    model,
    models,
    save,
    tip,
    turns: before.turns + 1,
    stored,
    servedElsewhere: isShared && (before.servedElsewhere || !turn.isNext),
    alias,
    repeatsIds,
    terms,
    streams,
    asksForRepetition,
  };
}

/**
 * Turns of a healthy run that a shared store is told of together, as long as all come here: each request repeats the run to
 * the replica that serves it next. In turns.
 */
const TOGETHER = 8;

/**
 * Keeps what a turn has added. Resolves to false when something else has gone on with the thread meanwhile: then it is to
 * be merged, which takes the whole conversation. @throws whatever the store throws.
 */
export async function cacheNextTurn(
  turn: NextTurn,
  answering: TurnAnswer,
  sign: Sign,
  threadCache: BackedThreadCache,
): Promise<boolean> {
  const { before } = turn;
  const { cache, store, isShared, ttlMs } = threadCache;
  if (!cache.isNewest(before)) return false;
  const cachedThread = cachedThreadOf(turn, answering, sign, isShared);
  const evicted = cache.put(cachedThread);
  const isDue = isShared && (cachedThread.servedElsewhere || unsavedTurns(cachedThread) >= TOGETHER);
  const stale = isShared ? undefined : takeAlias(before.stored);
  if (!isDue && stale === undefined && evicted.length === 0) return true;
  // All at once: one failure must not keep the rest from being saved.
  const [isOurs] = await Promise.all([
    isDue ? saveNow(cachedThread, threadCache) : true,
    stale === undefined ? undefined : store.remove(stale),
    ...evicted.map((one) => writeBack(one, store, ttlMs)),
  ]);
  return isOurs;
}

/** The alias that the store knows, which it is to forget. */
function takeAlias(stored: StoredCopy): ThreadKey | undefined {
  const { alias } = stored;
  stored.alias = undefined;
  return alias;
}

/** False when what another writer has left is to be merged. */
async function saveNow(cachedThread: CachedThread, { cache, store, ttlMs }: BackedThreadCache): Promise<boolean> {
  const write = cachedThread.servedElsewhere ? writeNowAmongOthers : writeNow;
  // What has come after it while it waited for its turn is written with it.
  const isSaved = await writeInTurn(
    cachedThread.stored,
    async () => !cache.isNewest(cachedThread) || write(cachedThread, store, ttlMs),
  );
  if (!isSaved) cache.drop(cachedThread);
  return isSaved;
}
