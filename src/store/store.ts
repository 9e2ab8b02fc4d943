/** Names one thread of one session of one tenant; made by `session/identify.ts` alone. */
export type ThreadKey = string & { readonly __brand: "ThreadKey" };

export interface Stored {
  readonly json: string;
  /** Grows by one with each write; 0 stands for "nothing stored". */
  readonly version: number;
}

/** Keeps text under a key with a version and an expiry. Knows nothing of loops. Rejects when the storage fails. */
export interface SessionStore {
  read(key: ThreadKey): Promise<Stored | undefined>;
  /** Resolves to false when another writer won: the stored version is not `expectedVersion`. */
  write(key: ThreadKey, json: string, expectedVersion: number, ttlMs: number): Promise<boolean>;
  remove(key: ThreadKey): Promise<void>;
  close(): Promise<void>;
}
