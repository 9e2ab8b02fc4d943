import { sharedSpace } from "../../even-share.ts";
import type { Policy } from "../../policy/policy.ts";
import { ownerOf, type SessionKey, type ThreadKey } from "../../store/store.ts";
import type { BodyPrefix } from "./body-prefix.ts";
import type { Identity } from "../identity/identify.ts";
import type { Ledger } from "../ledger/ledger.ts";

/**
 * Cache entry of a healthy thread: where its newest request ended, and its state then, so that the next one need not be read whole. Holds
 * no text of the conversation.
 */
export interface CachedThread {
  /** Lookup keys: one for each call of the newest answer, and one for how the request begins. */
  readonly callKeys: readonly string[];
  readonly headKey: string;
  readonly prefix: BodyPrefix;
  readonly identity: Identity;
  readonly policy: Policy;
  /** The model that its requests name. */
  readonly model: string;
  /** Every model that may answer them. */
  readonly models: readonly string[];
  /** Ledger to be saved. */
  readonly save: Ledger;
  /** Ledger with its pending step counted. */
  readonly tip: Ledger;
  /** Turns since it was cached. */
  readonly turns: number;
  /** Copy in the store: one object for all turns of the thread. */
  readonly stored: StoredCopy;
  /** Whether other replicas have served the thread, too. */
  readonly servedElsewhere: boolean;
  /** Alias by which a shortened history finds the thread. */
  readonly alias: ThreadKey | undefined;
  /** Signature of what the request asks for beside its conversation. */
  readonly terms: string;
  /** Its answers come as events, one at a time. */
  readonly streams: boolean;
  /** The task is to say something again and again. */
  readonly asksForRepetition: boolean;
  /** Call ids come again within the conversation. */
  readonly repeatsIds: boolean;
}

/**
 * Copy of a thread in the store. Changed in place, for no request waits for the write of the one before it: the thread may
 * have gone on when that ends.
 */
export interface StoredCopy {
  /** Version that the next write has to expect. */
  version: number;
  /** The turns that it knows, and those on their way to it. */
  turns: number;
  /** The alias that it knows. */
  alias: ThreadKey | undefined;
  /** Set when another writer has changed the record: nothing can be written without a merge. */
  isOverwritten: boolean;
  /** Ends with the write that is under way; never rejects. The next one has to expect the version that this one leaves. */
  writing: Promise<void> | undefined;
}

/** Turns that the store knows nothing of. */
export const unsavedTurns = ({ turns, stored }: CachedThread): number => turns - stored.turns;

/** Least-recently-used cache of the threads that this process serves; in a full one each tenant has an even share. */
export interface ThreadCache {
  /** By one of its lookup keys. */
  find(key: string): CachedThread | undefined;
  /** In place of the thread's older one. Gives those that had to make room and are not saved. */
  put(cachedThread: CachedThread): readonly CachedThread[];
  /** Nothing has come after it. */
  isNewest(cachedThread: CachedThread): boolean;
  /** Forgets the thread, and what has come after this turn of it: the store has something else. */
  drop(cachedThread: CachedThread): void;
  /** By the key of its thread, or its alias; then it is gone from here. */
  take(key: ThreadKey): CachedThread | undefined;
  /** Forgets all threads of a session, also what the store does not know of them. */
  dropSession(key: SessionKey): void;
  /** All that the store knows less of; then they are gone from here. */
  takeUnsaved(): readonly CachedThread[];
  /** Number of steps of all threads together. */
  steps(): number;
}

export interface ThreadCacheOptions {
  /** The least recently used make room when all threads together have more steps than this. */
  readonly maxSteps: number;
  readonly ttlMs: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** Fixed cost of a cached thread beside its steps, in steps. */
const OWN_WEIGHT = 4;

interface CacheEntry {
  readonly cachedThread: CachedThread;
  readonly until: number;
}

export function threadCache({ maxSteps, ttlMs, now }: ThreadCacheOptions): ThreadCache {
  // A Map remembers the order of insertion, so its first keys are the least recently used.
  const threads = new Map<ThreadKey, CacheEntry>();
  const keyed = new Map<string, CachedThread>();
  const aliased = new Map<ThreadKey, CachedThread>();
  const space = sharedSpace({ weight: maxSteps });

  function remove({ cachedThread }: CacheEntry): void {
    threads.delete(cachedThread.identity.thread);
    for (const key of cacheKeysOf(cachedThread)) if (keyed.get(key) === cachedThread) keyed.delete(key);
    if (cachedThread.alias !== undefined && aliased.get(cachedThread.alias) === cachedThread)
      aliased.delete(cachedThread.alias);
    space.remove(cachedThread.identity.thread);
  }

  function add(held: CacheEntry): void {
    const { cachedThread } = held;
    threads.set(cachedThread.identity.thread, held);
    for (const key of cacheKeysOf(cachedThread)) keyed.set(key, cachedThread);
    if (cachedThread.alias !== undefined) aliased.set(cachedThread.alias, cachedThread);
    space.put(cachedThread.identity.thread, ownerOf(cachedThread.identity.thread), weightOf(cachedThread));
  }

  const isOverdue = ({ identity }: CachedThread): boolean => (threads.get(identity.thread)?.until ?? 0) <= now();

  /** Expired entries are dropped, as in a store; evicted ones that are unsaved go to the store. */
  function makeRoom(): readonly CachedThread[] {
    const unsaved: CachedThread[] = [];
    for (const held of threads.values()) {
      if (!isOverdue(held.cachedThread)) break;
      remove(held);
    }
    for (let key = space.crowded(); key !== undefined; key = space.crowded()) {
      const held = threads.get(key as ThreadKey);
      if (held === undefined) break;
      remove(held);
      if (unsavedTurns(held.cachedThread) > 0) unsaved.push(held.cachedThread);
    }
    return unsaved;
  }

  return {
    find(key) {
      const cachedThread = keyed.get(key);
      return cachedThread === undefined || isOverdue(cachedThread) ? undefined : cachedThread;
    },
    put(cachedThread) {
      const older = threads.get(cachedThread.identity.thread);
      if (older !== undefined) remove(older);
      add({ cachedThread, until: now() + ttlMs });
      return makeRoom();
    },
    isNewest: (cachedThread) => threads.get(cachedThread.identity.thread)?.cachedThread === cachedThread,
    drop({ identity, stored }) {
      const held = threads.get(identity.thread);
      if (held?.cachedThread.stored === stored) remove(held);
    },
    take(key) {
      const held = threads.get(aliased.get(key)?.identity.thread ?? key);
      if (held === undefined) return undefined;
      remove(held);
      return held.until <= now() ? undefined : held.cachedThread;
    },
    dropSession(key) {
      for (const held of [...threads.values()]) if (held.cachedThread.identity.key === key) remove(held);
    },
    takeUnsaved() {
      const unsaved = [...threads.values()].filter(
        ({ cachedThread }) => unsavedTurns(cachedThread) > 0 && !isOverdue(cachedThread),
      );
      unsaved.forEach(remove);
      return unsaved.map(({ cachedThread }) => cachedThread);
    },
    steps: space.taken,
  };
}

/** Many runs have one beginning until each has taken a step. */
function cacheKeysOf({ callKeys, headKey, tip }: CachedThread): readonly string[] {
  return tip.total === 0 ? callKeys : [headKey, ...callKeys];
}

function weightOf({ tip }: CachedThread): number {
  // A step of many calls is as heavy as so many steps.
  return tip.window.reduce((sum, { calls }) => sum + Math.max(1, calls.length), OWN_WEIGHT);
}
