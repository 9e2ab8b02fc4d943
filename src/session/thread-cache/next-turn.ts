import { asksForRepetition, isNews, type Sign, stepKey } from "../../engine/engine.ts";
import type { Conversation, Step } from "../../step.ts";
import type { SessionStore } from "../../store/store.ts";
import type { Bookmark, Bookmarks } from "./thread-cache.ts";
import { type Ending, endingAfter } from "./body-prefix.ts";
import { followOn } from "../ledger/follow.ts";
import { isNearRung } from "../ledger/lookahead.ts";
import { stepAlias } from "../identity/identify.ts";
import type { Kept } from "../ledger/load-and-save.ts";
import type { Judge, Ledger } from "../ledger/ledger.ts";
import { putAway } from "./write-back.ts";
import { isTelling } from "../identity/aliases.ts";

/** A request that repeats the one before it of its thread, adds answered steps to it, and calls for nothing to be done. */
export interface Turn {
  readonly before: Bookmark;
  /** It adds the answer that was given here and what came of it: nobody else has taken the run further meanwhile. */
  readonly isNext: boolean;
  /** Where its messages end. */
  readonly ending: Ending;
  readonly save: Ledger;
  readonly tip: Ledger;
  readonly asksForRepetition: boolean;
}

/** A request's body, and where the messages end that it adds. */
interface Added {
  readonly body: Uint8Array;
  readonly end: number;
  readonly steps: readonly Step[];
  /** The bookmark was found by a call of the answer that was given here. */
  readonly byCall: boolean;
}

/** Undefined where something is to be done, or the answer has to be looked out for: that takes the whole conversation. */
export function turnAfter(before: Bookmark, added: Added, judge: Judge): Turn | undefined {
  const { body, end, steps, byCall } = added;
  const { save, tip } = followOn(before.tip, steps, judge);
  if (tip.interventions.length > 0) return undefined;
  if (isNearRung(tip, judge.policy)) return undefined;
  const task = steps.flatMap(({ heard }) => heard).findLast((text) => isNews(text));
  return {
    before,
    isNext: byCall && steps.length === 1,
    ending: endingAfter(before.ending, body, end),
    save,
    tip,
    asksForRepetition: task === undefined ? before.asksForRepetition : asksForRepetition(task),
  };
}

/** What is known of a request that was read whole, once it is answered. */
interface Whole {
  readonly conversation: Conversation;
  /** As it was saved, and with its last step counted. */
  readonly kept: Kept;
  readonly tip: Ledger;
}

/** Whether the thread's next request can be told from a bookmark: all that was said is settled, and nothing has been done. */
export function canContinue({ conversation, kept: { ledger }, tip }: Whole, sign: Sign): boolean {
  const { steps } = conversation;
  const last = steps.at(-1);
  if (last === undefined || ledger?.pending === undefined || ledger.purse !== undefined) return false;
  if (tip.interventions.length > 0 || steps.some(({ calls }) => calls.some(({ outcome }) => outcome === undefined)))
    return false;
  if (ledger.carried + 1 !== steps.length || ledger.pending.print.key !== stepKey(last, sign)) return false;
  const counted = steps.at(-2);
  const known = ledger.window.at(-1);
  if (counted === undefined || known === undefined) return counted === known;
  return known.key === stepKey(counted, sign);
}

/** An answer that was given to a turn, and how the next request will be found by its calls. */
export interface Answering {
  readonly step: Step;
  readonly callHints: readonly string[];
}

/** Where bookmarks are kept, and what stands behind them. */
export interface Shelf {
  readonly bookmarks: Bookmarks;
  readonly store: SessionStore;
  /** Others read there too. */
  readonly isShared: boolean;
  readonly ttlMs: number;
}

/** The bookmark of a turn that has been answered. */
function bookmarkOf(turn: Turn, { step, callHints }: Answering, sign: Sign, isShared: boolean): Bookmark {
  const { before, ending, save, tip, asksForRepetition } = turn;
  const repeatsIds = before.repeatsIds || callHints.some((hint) => before.callHints.includes(hint));
  const alias = !repeatsIds && isTelling(step, []) ? stepAlias(before.identity.tenant, step, sign) : undefined;
  const { headHint, identity, policy, version, terms, streams } = before;
  return {
    callHints,
    headHint,
    ending,
    identity,
    policy,
    save,
    tip,
    version,
    unsaved: before.unsaved + 1,
    roams: isShared && (before.roams || !turn.isNext),
    alias,
    savedAlias: isShared ? before.savedAlias : undefined,
    terms,
    streams,
    asksForRepetition,
    repeatsIds,
  };
}

/**
 * Turns of a healthy run that a shared store is told of together, as long as all come here: each request repeats the run to
 * whoever serves it next. In turns.
 */
const TOGETHER = 8;

/**
 * Keeps what a turn has added. Resolves to false when something else has gone on with the thread meanwhile: then it is to
 * be merged, which takes the whole conversation. @throws whatever the store throws.
 */
export async function keepTurn(turn: Turn, answering: Answering, sign: Sign, shelf: Shelf): Promise<boolean> {
  const { before } = turn;
  const { bookmarks, store, isShared, ttlMs } = shelf;
  if (!bookmarks.isNewest(before)) return false;
  const bookmark = bookmarkOf(turn, answering, sign, isShared);
  const evicted = bookmarks.put(bookmark);
  const isDue = isShared && (bookmark.roams || bookmark.unsaved >= TOGETHER);
  const stale = isShared ? undefined : before.savedAlias;
  if (!isDue && stale === undefined && evicted.length === 0) return true;
  // All at once: what fails must not keep the others from being saved.
  const [isOurs] = await Promise.all([
    isDue ? saveNow(bookmark, shelf) : true,
    stale === undefined ? undefined : store.remove(stale),
    ...evicted.map((one) => putAway(one, store, ttlMs)),
  ]);
  return isOurs;
}

/** False when somebody else has written meanwhile. */
async function saveNow(bookmark: Bookmark, { bookmarks, store, ttlMs }: Shelf): Promise<boolean> {
  const version = await putAway(bookmark, store, ttlMs);
  if (version === undefined) bookmarks.take(bookmark.identity.thread);
  else bookmarks.noteSaved(bookmark, version);
  return version !== undefined;
}
