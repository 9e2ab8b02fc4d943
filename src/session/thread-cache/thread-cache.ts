import { sharedSpace } from "../../even-share.ts";
import type { Policy } from "../../policy/policy.ts";
import { ownerOf, type SessionKey, type SessionStore, type ThreadKey } from "../../store/store.ts";
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
  /** Ledger as it is saved: one that its history tells. */
  readonly save: Ledger;
  /** Ledger with its pending step counted. */
  readonly tip: Ledger;
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

/** Least-recently-used cache of the threads that this process serves; in a full one each tenant has an even share. */
export interface ThreadCache {
  /** By one of its lookup keys. */
  find(key: string): CachedThread | undefined;
  /** In place of whatever is cached of its thread. */
  put(cachedThread: CachedThread): void;
  /** In place of a shorter one of its thread, if there still is one; gives the steps of the one that was there. */
  advance(cachedThread: CachedThread): number | undefined;
  drop(thread: ThreadKey): void;
  dropSession(key: SessionKey): void;
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
  const space = sharedSpace({ weight: maxSteps });

  function remove({ cachedThread }: CacheEntry): void {
    threads.delete(cachedThread.identity.thread);
    for (const key of cacheKeysOf(cachedThread)) if (keyed.get(key) === cachedThread) keyed.delete(key);
    space.remove(cachedThread.identity.thread);
  }

  function add(held: CacheEntry): void {
    const { cachedThread } = held;
    threads.set(cachedThread.identity.thread, held);
    for (const key of cacheKeysOf(cachedThread)) keyed.set(key, cachedThread);
    space.put(cachedThread.identity.thread, ownerOf(cachedThread.identity.thread), weightOf(cachedThread));
  }

  const isOverdue = ({ identity }: CachedThread): boolean => (threads.get(identity.thread)?.until ?? 0) <= now();

  function makeRoom(): void {
    for (const held of threads.values()) {
      if (!isOverdue(held.cachedThread)) break;
      remove(held);
    }
    for (let key = space.crowded(); key !== undefined; key = space.crowded()) {
      const held = threads.get(key as ThreadKey);
      if (held === undefined) break;
      remove(held);
    }
  }

  function put(cachedThread: CachedThread): void {
    const older = threads.get(cachedThread.identity.thread);
    if (older !== undefined) remove(older);
    add({ cachedThread, until: now() + ttlMs });
    makeRoom();
  }

  return {
    find(key) {
      const cachedThread = keyed.get(key);
      return cachedThread === undefined || isOverdue(cachedThread) ? undefined : cachedThread;
    },
    put,
    advance(cachedThread) {
      const steps = threads.get(cachedThread.identity.thread)?.cachedThread.tip.total;
      if (steps !== undefined && steps < cachedThread.tip.total) put(cachedThread);
      return steps;
    },
    drop(thread) {
      const held = threads.get(thread);
      if (held !== undefined) remove(held);
    },
    dropSession(key) {
      for (const held of [...threads.values()]) if (held.cachedThread.identity.key === key) remove(held);
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

/** A store for all who go by what is saved: a thread that is read there is out of the cache from then on. */
export function storeBehind(cache: ThreadCache, store: SessionStore): SessionStore {
  return {
    read(key) {
      cache.drop(key);
      return store.read(key);
    },
    write: (...record) => store.write(...record),
    remove: (key) => store.remove(key),
    close: () => store.close(),
  };
}
