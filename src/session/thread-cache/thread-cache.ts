import type { Policy } from "../../policy/policy.ts";
import type { ThreadKey } from "../../store/store.ts";
import type { Ending } from "./body-prefix.ts";
import type { Identity } from "../identity/identify.ts";
import type { Ledger } from "../ledger/ledger.ts";

/**
 * Where the newest request of a healthy thread ended, and what was known then: the next one need not be read whole. Holds
 * no text of the conversation.
 */
export interface Bookmark {
  /** Under which it is looked for: one for each call of the newest answer, and one for how the request begins. */
  readonly callHints: readonly string[];
  readonly headHint: string;
  readonly ending: Ending;
  readonly identity: Identity;
  readonly policy: Policy;
  /** As it is to be saved. */
  readonly save: Ledger;
  /** The same with its pending step counted. */
  readonly tip: Ledger;
  /** Of the thread in the store: what the next write has to expect. */
  readonly version: number;
  /** Turns that the store knows nothing of. */
  readonly unsaved: number;
  /** Others have served it, too. */
  readonly roams: boolean;
  /** Under which a shortened history finds the thread. */
  readonly alias: ThreadKey | undefined;
  /** The one that the store knows. */
  readonly savedAlias: ThreadKey | undefined;
  /** Signature of what the request asks for beside its conversation. */
  readonly terms: string;
  /** Its answers come as events, one at a time. */
  readonly streams: boolean;
  /** The task is to say something again and again. */
  readonly asksForRepetition: boolean;
  /** Call ids come again within the conversation. */
  readonly repeatsIds: boolean;
}

/** What a request gives away of the bookmark that it goes on from. */
export interface Hints {
  readonly call: string | undefined;
  readonly head: string;
}

/** The threads that were served last, each with its newest bookmark. */
export interface Bookmarks {
  /** By its newest answer's call if it can be, else by how the request begins. */
  find(hints: Hints): { readonly bookmark: Bookmark; readonly byCall: boolean } | undefined;
  /** In place of the thread's older one. Gives those that had to make room and are not saved. */
  put(bookmark: Bookmark): readonly Bookmark[];
  /** The store has it now. To no effect if another has come after it. */
  noteSaved(bookmark: Bookmark, version: number): void;
  /** Nothing has come after it. */
  isNewest(bookmark: Bookmark): boolean;
  /** By the key of its thread, or its alias; then it is gone from here. */
  take(key: ThreadKey): Bookmark | undefined;
  /** All that the store knows less of; then they are gone from here. */
  takeUnsaved(): readonly Bookmark[];
}

export interface BookmarksOptions {
  /** The least recently used make room when all threads together have more steps than this. */
  readonly maxSteps: number;
  readonly ttlMs: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** What a bookmark weighs beside its steps, in steps. */
const OWN_WEIGHT = 4;

interface Held {
  readonly bookmark: Bookmark;
  readonly until: number;
}

export function bookmarksIn({ maxSteps, ttlMs, now }: BookmarksOptions): Bookmarks {
  // A Map remembers the order of insertion, so its first keys are the least recently used.
  const threads = new Map<ThreadKey, Held>();
  const hinted = new Map<string, Bookmark>();
  const aliased = new Map<ThreadKey, Bookmark>();
  let weight = 0;

  function remove({ bookmark }: Held): void {
    threads.delete(bookmark.identity.thread);
    for (const hint of hintsOf(bookmark)) if (hinted.get(hint) === bookmark) hinted.delete(hint);
    if (bookmark.alias !== undefined && aliased.get(bookmark.alias) === bookmark) aliased.delete(bookmark.alias);
    weight -= weightOf(bookmark);
  }

  function add(held: Held): void {
    const { bookmark } = held;
    threads.set(bookmark.identity.thread, held);
    for (const hint of hintsOf(bookmark)) hinted.set(hint, bookmark);
    if (bookmark.alias !== undefined) aliased.set(bookmark.alias, bookmark);
    weight += weightOf(bookmark);
  }

  const isOverdue = ({ identity }: Bookmark): boolean => (threads.get(identity.thread)?.until ?? 0) <= now();

  /** The overdue are forgotten like those in a store; the others are to be saved there. */
  function makeRoom(): readonly Bookmark[] {
    const unsaved: Bookmark[] = [];
    for (const held of threads.values()) {
      const isOver = isOverdue(held.bookmark);
      if (!isOver && weight <= maxSteps) break;
      remove(held);
      if (!isOver && held.bookmark.unsaved > 0) unsaved.push(held.bookmark);
    }
    return unsaved;
  }

  return {
    find({ call, head }) {
      const called = call === undefined ? undefined : hinted.get(call);
      const bookmark = called ?? hinted.get(head);
      return bookmark === undefined || isOverdue(bookmark) ? undefined : { bookmark, byCall: called !== undefined };
    },
    put(bookmark) {
      const older = threads.get(bookmark.identity.thread);
      if (older !== undefined) remove(older);
      add({ bookmark, until: now() + ttlMs });
      return makeRoom();
    },
    noteSaved(bookmark, version) {
      const held = threads.get(bookmark.identity.thread);
      if (held?.bookmark !== bookmark) return;
      remove(held);
      add({ bookmark: { ...bookmark, version, unsaved: 0, savedAlias: bookmark.alias }, until: held.until });
    },
    isNewest: (bookmark) => threads.get(bookmark.identity.thread)?.bookmark === bookmark,
    take(key) {
      const held = threads.get(aliased.get(key)?.identity.thread ?? key);
      if (held === undefined) return undefined;
      remove(held);
      return held.until <= now() ? undefined : held.bookmark;
    },
    takeUnsaved() {
      const unsaved = [...threads.values()].filter(({ bookmark }) => bookmark.unsaved > 0 && !isOverdue(bookmark));
      unsaved.forEach(remove);
      return unsaved.map(({ bookmark }) => bookmark);
    },
  };
}

function hintsOf({ callHints, headHint }: Bookmark): readonly string[] {
  return [headHint, ...callHints];
}

function weightOf({ tip }: Bookmark): number {
  return tip.window.length + OWN_WEIGHT;
}
