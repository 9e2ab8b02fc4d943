import type { SessionKey, Totals } from "./store.ts";

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

/** A page of the directory. */
export interface DirectoryPage {
  readonly entries: readonly DirectoryEntry[];
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

/**
 * A directory of the sessions there are, by the time they were last in use: fields and sums under a key, with an expiry.
 * Knows nothing of what they mean. It may be a moment behind. Rejects when the storage fails.
 */
export interface Directory {
  /** Merges a change into an entry, and counts its expiry anew. */
  note(key: SessionKey, change: DirectoryChange, ttlMs: number): Promise<void>;
  find(key: SessionKey): Promise<DirectoryEntry | undefined>;
  /**
   * The newest first. Looks through a bounded number of entries, so a page may have fewer than were asked for and still a
   * next one.
   * @param before `next` of the page before
   */
  page(limit: number, before?: string, filter?: DirectoryFilter): Promise<DirectoryPage>;
  remove(key: SessionKey): Promise<void>;
}

/** What filters are asked for: a driver may keep this apart, so that entries need not be read. Whatever else is asked is looked for in the entries. */
export const filterable: { readonly fields: ReadonlySet<string>; readonly sums: ReadonlySet<string> } = {
  fields: new Set(["name", "tenant", "agent", "model", "policy", "loop", "marked"]),
  sums: new Set(["nudge", "force-done", "short-circuit", "cut"]),
};

/** What an entry must be like to be listed: conditions on its fields and sums that all hold. Plain data: it travels to where entries are kept. */
export interface DirectoryFilter {
  /** Fields with exactly these texts; the empty text also where there is no such field. */
  readonly equal?: Readonly<Record<string, string>>;
  /** Fields that begin so, in upper or lower case. */
  readonly beginning?: Readonly<Record<string, string>>;
  /** Fields that contain these texts. */
  readonly containing?: Readonly<Record<string, string>>;
  /** Whether a field has any text. */
  readonly filled?: Readonly<Record<string, boolean>>;
  /** Sums that have been added to. */
  readonly counted?: readonly string[];
}
