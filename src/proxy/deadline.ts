import type { SessionStore } from "../store/store.ts";

/** A store that rejects what takes too long: a slow one is worse than a dead one. */
export function withDeadline(store: SessionStore, ms: number): SessionStore {
  return {
    read: (key) => within(ms, () => store.read(key)),
    write: (key, json, expectedVersion, ttlMs) => within(ms, () => store.write(key, json, expectedVersion, ttlMs)),
    remove: (key) => within(ms, () => store.remove(key)),
    close: () => store.close(),
  };
}

async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new DOMException("The store has not answered in time.", "TimeoutError"));
    // After a busy moment timers are called before sockets are read; an answer that is here already is not late.
    timer = setTimeout(() => {
      timer = setTimeout(fail, 0);
    }, ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
