import type { DurableObjectStorage } from "@cloudflare/workers-types";

/** The records of an object by name, a row each, with their expiries. */
export type ExpiringRecords = ReturnType<typeof expiringRecords>;

export interface RecordWriter {
  put(name: string, value: unknown, ttlMs: number): void;
  remove(name: string): void;
}

interface StoredRecord<T> {
  readonly value: T;
  readonly expiresAt: number;
}

/** Reading writes nothing, so an object that was only read leaves no storage behind. */
export function expiringRecords(storage: DurableObjectStorage) {
  const { kv } = storage;

  /** An alarm is a row written, too: one that rings early is put off when it rings, not with each write. */
  async function putOff(): Promise<void> {
    const expiries = [...kv.list<StoredRecord<unknown>>()].map(([, { expiresAt }]) => expiresAt);
    if (expiries.length > 0) return storage.setAlarm(Math.min(...expiries));
    await storage.deleteAlarm();
    await storage.deleteAll();
  }

  return {
    /** Undefined when there is none or it has expired. */
    read: <T>(name: string) => currentValue(kv.get<StoredRecord<T>>(name)),
    /** All records whose names begin so. */
    list: <T>(prefix: string) =>
      [...kv.list<StoredRecord<T>>({ prefix })].flatMap(([name, record]) => {
        const value = currentValue(record);
        return value === undefined ? [] : [[name.slice(prefix.length), value] as const];
      }),
    /** Changes records at once and as a whole, without waiting in between. Resolves to what `work` returns. */
    async change<T>(work: (records: RecordWriter) => T): Promise<T> {
      const alarm = await storage.getAlarm();
      let earliest = Number.POSITIVE_INFINITY;
      let removes = false;
      const result = work({
        put(name, value, ttlMs) {
          const expiresAt = Date.now() + Math.ceil(ttlMs);
          earliest = Math.min(earliest, expiresAt);
          kv.put<StoredRecord<unknown>>(name, { value, expiresAt });
        },
        remove(name) {
          if (kv.delete(name)) removes = true;
        },
      });
      if (earliest < (alarm ?? Number.POSITIVE_INFINITY)) await storage.setAlarm(earliest);
      else if (removes && [...kv.list({ limit: 1 })].length === 0) await putOff();
      return result;
    },
    /** What the object's alarm calls: removes expired records, and behind the last one every other trace of the object. */
    async expire(): Promise<void> {
      for (const [name, record] of [...kv.list<StoredRecord<unknown>>()])
        if (currentValue(record) === undefined) kv.delete(name);
      await putOff();
    },
  };
}

function currentValue<T>(record: StoredRecord<T> | undefined): T | undefined {
  return record === undefined || record.expiresAt <= Date.now() ? undefined : record.value;
}
