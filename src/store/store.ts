import { UnloopError } from "../errors.ts";

/** Names one session of one tenant: a token of letters, digits, `-`, `_` and `~`. */
export type SessionKey = string & { readonly __brand: "SessionKey" };

/** Names one thread of one session: `<session key>.<thread>`, both tokens. Made by `session/identify.ts` alone. */
export type ThreadKey = string & { readonly __brand: "ThreadKey" };

/** A record as it is stored. */
export interface Stored {
  readonly json: string;
  /** Grows by one with each write; 0 stands for "nothing stored". */
  readonly version: number;
}

/** Keeps text under a key with a version and an expiry. Knows nothing of loops. Rejects when the storage fails. */
export interface SessionStore {
  read(key: ThreadKey): Promise<Stored | undefined>;
  /**
   * Resolves to false when another writer won: `isTaken` tells which. Commands for one key are carried out in their order.
   * @param expectedVersion undefined by a writer that has not read the record
   * @param plain given where the record holds nothing but what its run's history tells
   */
  write(
    key: ThreadKey,
    json: string,
    expectedVersion: number | undefined,
    ttlMs: number,
    plain?: Plain,
  ): Promise<boolean>;
  remove(key: ThreadKey): Promise<void>;
  /** Also ends the connection that counters and journal of the same storage use. */
  close(): Promise<void>;
}

/** How far a record goes that any process comes to by reading its run's history: the longer contains the shorter of its root. */
export interface Plain {
  readonly root: string;
  readonly length: number;
}

/**
 * Whether a write is taken: its version fits; or, without one, nothing is stored, or both records are plain, the new one is
 * longer, and they are of one root or the stored one is empty.
 */
export function isTaken(
  stored: { readonly version: number; readonly plain?: Plain | undefined } | undefined,
  expectedVersion: number | undefined,
  plain: Plain | undefined,
): boolean {
  const { version = 0, plain: before } = stored ?? {};
  if (expectedVersion !== undefined || version === 0) return version === (expectedVersion ?? 0);
  if (before === undefined || plain === undefined) return false;
  return (before.root === plain.root || before.length === 0) && before.length < plain.length;
}

/** Sums by name, such as a budget's. Knows nothing of what is counted. Rejects when the storage fails. */
export interface Counters {
  /** Adds all amounts at once, counts the expiry anew, and resolves to every total of the key. */
  add(key: SessionKey, amounts: Totals, ttlMs: number): Promise<Totals>;
  read(key: SessionKey): Promise<Totals>;
}

/** Amounts by name. */
export type Totals = Readonly<Record<string, number>>;

/** An entry of the journal, and where it stands in it: opaque, and later for later entries. */
export interface JournalItem {
  readonly id: string;
  readonly entry: string;
}

/** The newest entries of an endless feed, in the order they came. Rejects when the storage fails. */
export interface Journal {
  /** @param owner whose it is, where no owner's entries may take the place of all others': a store of one process has an even share for each */
  append(entry: string, owner?: string): Promise<void>;
  /** The newest first; of those that came before this one, where it is given. */
  page(limit: number, before?: string): Promise<readonly JournalItem[]>;
}

/** Change to an entry of the directory. */
export interface DirectoryChange {
  /** When it was in use; Unix time, milliseconds. */
  readonly at: number;
  /** Fields to overwrite; one with the empty text is taken away. */
  readonly set: Readonly<Record<string, string>>;
  /** Only where the entry has no such field yet. */
  readonly first: Readonly<Record<string, string>>;
  readonly add: Totals;
}

/** A session as the directory lists it. */
export interface DirectoryEntry {
  readonly key: SessionKey;
  /** When it was in use last; Unix time, milliseconds. */
  readonly at: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly sums: Totals;
}

/**
 * A directory of the sessions there are, by the time they were last in use: fields and sums under a key, with an expiry.
 * Knows nothing of what they mean. It may be a moment behind. Rejects when the storage fails.
 */
export interface Directory {
  /** Merges a change into an entry, and counts its expiry anew. */
  note(key: SessionKey, change: DirectoryChange, ttlMs: number): Promise<void>;
  find(key: SessionKey): Promise<DirectoryEntry | undefined>;
  /** The newest first; of those behind a position, the `<at>:<key>` of an entry, where it is given. */
  page(limit: number, before?: string): Promise<readonly DirectoryEntry[]>;
}

/** What operators have ordered: few texts, each with an expiry, that every process reads over and over. Rejects when the storage fails. */
export interface Directives {
  put(key: string, text: string, ttlMs: number): Promise<void>;
  remove(key: string): Promise<void>;
  /** All that stand; undefined where nothing has changed since that revision. */
  read(
    lastRevision?: string,
  ): Promise<{ readonly revision: string; readonly texts: ReadonlyMap<string, string> } | undefined>;
}

/** One storage and what it keeps. */
export interface Stores {
  readonly sessions: SessionStore;
  readonly counters: Counters;
  readonly journal: Journal;
  readonly directory: Directory;
  readonly directives: Directives;
  /** How often an exchange reads all directives while it lasts, in milliseconds; undefined where a timer of the process does. */
  readonly directivesPollMs?: number;
  /** Other processes read and write here too. */
  readonly isShared: boolean;
  /** Approximate memory in this process; undefined where the data is elsewhere. */
  readonly heldBytes?: () => number;
}

/** The session that a thread belongs to, and the thread's own name within it. */
export function partsOf(key: ThreadKey): { readonly session: string; readonly thread: string } {
  const dot = key.indexOf(".");
  return dot === -1 ? { session: key, thread: "" } : { session: key.slice(0, dot), thread: key.slice(dot + 1) };
}

/** The key of a session, which says behind a `~` whose it is: tenants have an even share of a store that is full. */
export function sessionKey(signature: string, owner: string): SessionKey {
  return `${signature}~${owner.slice(0, OWNER_LENGTH)}` as SessionKey;
}

/** Enough that hardly any two tenants share their share. In characters of a signature. */
const OWNER_LENGTH = 8;

/** Whose a session or thread is, as far as its key says; empty where it does not. */
export function ownerOf(key: string): string {
  const { session } = partsOf(key as ThreadKey);
  const at = session.indexOf("~");
  return at === -1 ? "" : session.slice(at + 1);
}

/** The longest text a store takes, in UTF-16 units; a ledger has some tens of thousands. */
export const MAX_TEXT_LENGTH = 512 * 1024;

/** What drivers do with a text before they store it. */
export function refuseOversized(text: string): void {
  if (text.length > MAX_TEXT_LENGTH)
    throw refused(`A text of ${text.length} characters is not kept; ${MAX_TEXT_LENGTH} is the most.`);
}

/** What drivers do with amounts before they add them: one NaN would spoil a total for good. */
export function refuseUncountable(amounts: Totals): void {
  for (const name of Object.keys(amounts))
    if (!Number.isFinite(amounts[name])) throw refused(`The amount of ${name} is not a finite number.`);
}

function refused(message: string): UnloopError {
  return new UnloopError("record_refused", message);
}

/** Where an entry stands in the directory. */
export const positionOf = ({ at, key }: { readonly at: number; readonly key: string }): string => `${at}:${key}`;
