import type { Plain, SessionStore, ThreadKey } from "../store/store.ts";

/** Form of a record in a store. */
export interface RecordForm<Record> {
  /** Undefined for what is no such record. */
  readonly read: (json: string) => Record | undefined;
  readonly text: (record: Record) => string;
  /** Without it none is. */
  readonly plain?: (record: Record) => Plain | undefined;
}

/** This many writers at once lose nothing; beyond that the record is left to the others. */
const MAX_ATTEMPTS = 32;

/** A changed record: as it is now, its version, and as it was before. */
interface ChangedRecord<Record> {
  readonly record: Record | undefined;
  readonly version: number;
  readonly before: Record | undefined;
}

/**
 * Changes a record by compare-and-set: `change` is asked again with what another writer has left. Nothing is written where it gives
 * undefined, or what is there. Undefined after too many lost races. @throws whatever the store throws
 */
export async function changeRecord<Record>(
  store: SessionStore,
  key: ThreadKey,
  { read, text, plain, ttlMs }: RecordForm<Record> & { readonly ttlMs: number },
  change: (record: Record | undefined) => Record | undefined,
): Promise<ChangedRecord<Record> | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await store.read(key);
    const { version = 0 } = stored ?? {};
    const before = stored && read(stored.json);
    const record = change(before);
    if (record === undefined || record === before) return { record: before, version, before };
    if (await store.write(key, text(record), version, ttlMs, plain?.(record)))
      return { record, version: version + 1, before };
  }
  return undefined;
}
