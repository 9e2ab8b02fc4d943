import type { Conversation } from "../step.ts";
import type { SessionStore, ThreadKey } from "../store/store.ts";
import { type Followed, follow } from "./follow.ts";
import { type Judge, type Ledger, readLedger } from "./ledger.ts";

/** A thread as it was found: its ledger, and the version to write against. */
export interface Kept {
  readonly ledger: Ledger | undefined;
  readonly version: number;
}

export const nothingKept: Kept = { ledger: undefined, version: 0 };

/** Each lost race is another's win: this many at once lose nothing. More leave the record to the winners. */
const MAX_ATTEMPTS = 32;

/** @throws whatever the store throws. */
export async function load(store: SessionStore, thread: ThreadKey): Promise<Kept> {
  const stored = await store.read(thread);
  return stored === undefined ? nothingKept : { ledger: readLedger(stored.json), version: stored.version };
}

/**
 * Saves what a request added to its thread. When another request of the thread was faster, the conversation is merged
 * into what that one left; merging is idempotent, so nothing is counted twice and nothing is lost.
 * @returns false when it was given up after so many lost races.
 * @throws whatever the store throws.
 */
export async function save(
  store: SessionStore,
  thread: ThreadKey,
  found: Kept,
  followed: Followed,
  again: { readonly conversation: Conversation; readonly judge: Judge; readonly ttlMs: number },
): Promise<boolean> {
  let { version } = found;
  let ledger = followed.save;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (ledger === undefined) return true;
    if (await store.write(thread, JSON.stringify(ledger), version, again.ttlMs)) return true;
    const now = await load(store, thread);
    version = now.version;
    ledger = follow(now.ledger, again.conversation, again.judge).save;
    // The winner knows as much or more: this request came late, and its shorter history must not replace the record.
    if (ledger !== undefined && now.ledger !== undefined && reach(ledger) <= reach(now.ledger)) return true;
  }
  return false;
}

/** How far into the run a ledger knows. */
function reach(ledger: Ledger): number {
  return ledger.total + (ledger.pending === undefined ? 0 : 1);
}
