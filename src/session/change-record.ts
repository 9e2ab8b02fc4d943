import type { SessionStore, ThreadKey } from "../store/store.ts";

/** Form of a record in a store. */
export interface RecordForm<Record> {
  /** Undefined for what is no such record. */
  readonly read: (json: string) => Record | undefined;
  readonly text: (record: Record) => string;
}

/** A record as it was read, and the version to write against; 0 where there is none. */
export interface VersionedRecord<Record> {
  readonly record: Record | undefined;
  readonly version: number;
}

/** This many writers at once lose nothing; beyond that the record is left to the others. */
const MAX_ATTEMPTS = 32;

/**
 * Changes a record by compare-and-set: `change` is asked again with what another writer has left. Nothing is written where it gives
 * undefined, or what is there. @param stored what was read before @returns the record before and after; undefined after too many
 * lost races @throws whatever the store throws
 */
export async function changeRecord<Record>(
  store: SessionStore,
  key: ThreadKey,
  { read, text, ttlMs }: RecordForm<Record> & { readonly ttlMs: number },
  change: (record: Record | undefined) => Record | undefined,
  stored?: VersionedRecord<Record>,
): Promise<(VersionedRecord<Record> & { readonly before: Record | undefined }) | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { record: before, version } = (attempt === 0 ? stored : undefined) ?? (await readRecord(store, key, read));
    const record = change(before);
    if (record === undefined || record === before) return { record: before, version, before };
    if (await store.write(key, text(record), version, ttlMs)) return { record, version: version + 1, before };
  }
  return undefined;
}

/** @throws whatever the store throws */
export async function readRecord<Record>(
  store: SessionStore,
  key: ThreadKey,
  read: RecordForm<Record>["read"],
): Promise<VersionedRecord<Record>> {
  const stored = await store.read(key);
  return { record: stored && read(stored.json), version: stored?.version ?? 0 };
}
