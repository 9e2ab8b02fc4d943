import type { Sign } from "../engine/engine.ts";
import type { Conversation } from "../step.ts";
import type { SessionStore, ThreadKey } from "../store/store.ts";
import { type Followed, follow } from "./follow.ts";
import type { Identity } from "./identify.ts";
import { type Judge, type Ledger, readLedger } from "./ledger.ts";
import { isContinuedBy, threadIn, trailOf } from "./trail.ts";

/** A thread as it was found: its ledger, and the version to write against. */
export interface Kept {
  readonly ledger: Ledger | undefined;
  readonly version: number;
}

export const nothingKept: Kept = { ledger: undefined, version: 0 };

/** Each lost race is another's win: this many at once lose nothing. More leave the record to the winners. */
const MAX_ATTEMPTS = 32;

/**
 * The thread of a request. One whose beginning was replaced by a summary goes by another name; it is found by its newest
 * step. Both are looked up at once: one round trip, and another one only where the name is new and the trail leads
 * somewhere.
 * @throws whatever the store throws.
 */
export async function load(
  store: SessionStore,
  identity: Identity,
  conversation: Conversation,
  sign: Sign,
): Promise<Kept> {
  const alias = trailOf(conversation, identity.tenant, sign);
  const [own, pointer] = await Promise.all([
    store.read(identity.thread),
    alias === undefined ? undefined : store.read(alias),
  ]);
  if (own !== undefined) return { ledger: readLedger(own.json), version: own.version };
  const elsewhere = threadIn(pointer, identity);
  const found = elsewhere === undefined ? undefined : await store.read(elsewhere);
  const ledger = found === undefined ? undefined : readLedger(found.json);
  if (ledger === undefined || !isContinuedBy(ledger, conversation, sign)) return nothingKept;
  return { ledger: { ...ledger, root: undefined }, version: 0 };
}

/**
 * Saves what a request added to its thread. When another request of the thread was faster, the conversation is merged
 * into what that one left; merging is idempotent, so nothing is counted twice and nothing is lost.
 * @returns the steps that it added to the record, or undefined when it was given up after so many lost races.
 * @throws whatever the store throws.
 */
export async function save(
  store: SessionStore,
  thread: ThreadKey,
  found: Kept,
  followed: Followed,
  again: { readonly conversation: Conversation; readonly judge: Judge; readonly ttlMs: number },
): Promise<number | undefined> {
  let { version } = found;
  let known = found.ledger;
  let ledger = followed.save;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (ledger === undefined) return 0;
    if (await store.write(thread, JSON.stringify(ledger), version, again.ttlMs)) return reach(ledger) - reach(known);
    const stored = await store.read(thread);
    known = stored === undefined ? undefined : readLedger(stored.json);
    version = stored?.version ?? 0;
    ledger = follow(known, again.conversation, again.judge).save;
    // The winner knows as much or more: this request came late, and its shorter history must not replace the record.
    if (known !== undefined && ledger !== undefined && reach(ledger) <= reach(known)) return 0;
  }
  return undefined;
}

/** How far into the run a ledger knows. */
function reach(ledger: Ledger | undefined): number {
  return ledger === undefined ? 0 : ledger.total + (ledger.pending === undefined ? 0 : 1);
}

/** Of the steps counted for a session, those that are not this thread's. */
export function spentElsewhere(counted: number, { ledger }: Kept): number {
  return Math.max(0, counted - reach(ledger));
}
