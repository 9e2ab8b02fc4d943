import { isNews, stepKey } from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import { asksForRepetition } from "../../runaway/runaway.ts";
import type { Conversation, Step } from "../../step.ts";
import type { SessionStore } from "../../store/store.ts";
import type { CachedThread, ThreadCache } from "./thread-cache.ts";
import { type BodyPrefix, extendedPrefix } from "./body-prefix.ts";
import { mergeAddition } from "../ledger/merge.ts";
import { isNearRung } from "../ledger/lookahead.ts";
import { stepAlias } from "../identity/identify.ts";
import type { EvaluationContext, Ledger } from "../ledger/ledger.ts";
import { plainOf } from "../ledger/ledger-text.ts";
import { writeLedger } from "../ledger/load-and-save.ts";
import { isTelling } from "../identity/aliases.ts";

/** A request that repeats the one before it of its thread, adds answered steps to it, and calls for nothing to be done. */
export interface NextTurn {
  readonly before: CachedThread;
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
}

/** Undefined where something is to be done, or the answer has to be looked out for: that takes the whole conversation. */
export function nextTurn(before: CachedThread, added: Added, evaluation: EvaluationContext): NextTurn | undefined {
  const { body, end, steps } = added;
  const { grown, total } = before.save;
  const { save, tip } = mergeAddition(before.tip, grown ?? (total === 0 ? [] : undefined), steps, evaluation);
  if (tip.interventions.length > 0 || plainOf(save) === undefined) return undefined;
  if (isNearRung(tip, evaluation.policy)) return undefined;
  const task = steps.flatMap(({ heard }) => heard).findLast((text) => isNews(text));
  return {
    before,
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
  if (ledger.pending === undefined || plainOf(ledger) === undefined) return false;
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
interface TurnAnswer {
  /** Undefined where it was not understood, or broke off. */
  readonly step: Step | undefined;
  readonly callKeys: readonly string[];
}

/** The cached thread of a turn that has been answered. Written out: every exchange makes one, and spreads cost microseconds. */
function cachedThreadOf({ before, prefix, save, tip, asksForRepetition }: NextTurn, answer: TurnAnswer, sign: Sign) {
  const { headKey, identity, policy, model, models, terms, streams } = before;
  const { step, callKeys } = answer;
  const repeatsIds = before.repeatsIds || callKeys.some((key) => before.callKeys.includes(key));
  const isFound = step !== undefined && !repeatsIds && isTelling(step, [], identity);
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
    alias: isFound ? stepAlias(identity, step, sign) : undefined,
    repeatsIds,
    terms,
    streams,
    asksForRepetition,
  } satisfies CachedThread;
}

/**
 * Keeps what a turn has added, here and in the store, in one round trip: the record, the alias that leads to it, and the end
 * of the one before. What the store refuses holds more than histories tell, or another one: the next request is read whole.
 * @returns the number of steps that the thread has grown by @throws whatever the store throws
 */
export async function saveNextTurn(
  turn: NextTurn,
  answer: TurnAnswer,
  cache: ThreadCache,
  { store, sign, ttlMs }: { readonly store: SessionStore; readonly sign: Sign; readonly ttlMs: number },
): Promise<number> {
  const cachedThread = cachedThreadOf(turn, answer, sign);
  const { identity, alias, save, tip } = cachedThread;
  const passed = turn.before.alias;
  const steps = cache.advance(cachedThread) ?? turn.before.tip.total;
  const [isTaken] = await Promise.all([
    writeLedger(store, identity, save, ttlMs),
    passed === undefined || passed === alias ? undefined : store.remove(passed),
    alias === undefined ? undefined : store.write(alias, identity.thread, 0, ttlMs),
  ]);
  // Behind a longer one of this process it comes late, and says nothing new.
  if (isTaken || steps >= tip.total) return Math.max(0, tip.total - steps);
  cache.drop(identity.thread);
  return 0;
}
