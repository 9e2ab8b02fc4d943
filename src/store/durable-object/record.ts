import type { DurableObjectStorage } from "@cloudflare/workers-types";

/** The one record of an object, and its expiry. */
export interface ExpiringRecord<T> {
  /** Undefined when there is none or it has expired. */
  read(): T | undefined;
  /**
   * Puts what `next` makes of the present value in its place and counts the expiry anew, at once and as a whole.
   * Undefined from `next` changes nothing. Resolves to what `next` gave.
   */
  change(next: (present: T | undefined) => T | undefined, ttlMs: number): Promise<T | undefined>;
  remove(): Promise<void>;
  /** What the object's alarm calls: removes an expired record and every other trace of the object. */
  expire(): Promise<void>;
}

interface StoredRecord<T> {
  readonly value: T;
  readonly expiresAt: number;
}

/** Reading writes nothing, so an object that was only read leaves no storage behind. */
export function expiringRecord<T>(storage: DurableObjectStorage): ExpiringRecord<T> {
  const current = () => storage.kv.get<StoredRecord<T>>("record");
  const read = () => {
    const record = current();
    return record === undefined || record.expiresAt <= Date.now() ? undefined : record.value;
  };
  const remove = async () => {
    await storage.deleteAlarm();
    await storage.deleteAll();
  };
  return {
    read,
    remove,
    async change(next, ttlMs) {
      const alarm = await storage.getAlarm();
      // Nothing is awaited from here on, so no other request interleaves: record and alarm are stored atomically.
      const value = next(read());
      if (value === undefined) return undefined;
      const expiresAt = Date.now() + Math.ceil(ttlMs);
      storage.kv.put<StoredRecord<T>>("record", { value, expiresAt });
      // An alarm is a row written, too: one that rings early is put off when it rings, not with each write.
      if (alarm === null || alarm > expiresAt) await storage.setAlarm(expiresAt);
      return value;
    },
    async expire() {
      const expiresAt = current()?.expiresAt ?? 0;
      if (expiresAt > Date.now()) await storage.setAlarm(expiresAt);
      else await remove();
    },
  };
}
