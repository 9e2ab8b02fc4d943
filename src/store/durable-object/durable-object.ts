import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import { UnloopError } from "../../errors.ts";
import type { CountersObject } from "./counters.ts";
import type { JournalObject } from "./journal.ts";
import type { ThreadObject } from "./thread.ts";
import {
  type Counters,
  type Journal,
  refuseOversized,
  refuseUncountable,
  type SessionStore,
  type Stores,
} from "../store.ts";

export { CountersObject } from "./counters.ts";
export { JournalObject } from "./journal.ts";
export { ThreadObject } from "./thread.ts";

/** The namespaces that `wrangler.toml` binds. */
export interface ObjectNamespaces {
  readonly THREADS: DurableObjectNamespace<ThreadObject>;
  readonly COUNTERS: DurableObjectNamespace<CountersObject>;
  readonly JOURNAL: DurableObjectNamespace<JournalObject>;
}

export interface DurableObjectStoreOptions {
  /** The name of the object that keeps the journal; `journal` without it. */
  readonly journalName?: string;
  /** How many journal entries are kept; 1,000 without it. */
  readonly journalCapacity?: number;
}

/** Everything in SQLite-backed Durable Objects: one for each thread, one for each session's sums, one for the journal. */
export function durableObjectStores(
  { THREADS, COUNTERS, JOURNAL }: ObjectNamespaces,
  { journalName = "journal", journalCapacity = 1_000 }: DurableObjectStoreOptions = {},
): Stores {
  return {
    sessions: sessionsIn(THREADS),
    counters: countersIn(COUNTERS),
    journal: journalIn(JOURNAL, journalName, journalCapacity),
    isShared: true,
  };
}

// An object is looked up for each command: what belongs to one request must not be used by the next.

function sessionsIn(threads: ObjectNamespaces["THREADS"]): SessionStore {
  return {
    read: (key) => ask(() => threads.getByName(key).read()),
    async write(key, json, expectedVersion, ttlMs) {
      refuseOversized(json);
      return ask(() => threads.getByName(key).write(json, expectedVersion, ttlMs));
    },
    remove: (key) => ask(() => threads.getByName(key).remove()),
    close: async () => undefined,
  };
}

function countersIn(counters: ObjectNamespaces["COUNTERS"]): Counters {
  return {
    async add(key, amounts, ttlMs) {
      refuseUncountable(amounts);
      return Object.fromEntries(await ask(() => counters.getByName(key).add(Object.entries(amounts), ttlMs)));
    },
    async read(key) {
      return Object.fromEntries(await ask(() => counters.getByName(key).read()));
    },
  };
}

function journalIn(namespace: ObjectNamespaces["JOURNAL"], name: string, capacity: number): Journal {
  return {
    async append(entry) {
      refuseOversized(entry);
      await ask(() => namespace.getByName(name).append(entry, capacity));
    },
    async recent(limit) {
      const count = Math.min(limit, capacity);
      return count < 1 ? [] : ask(() => namespace.getByName(name).recent(count));
    },
  };
}

async function ask<T>(command: () => Promise<T>): Promise<T> {
  try {
    return await command();
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown";
    throw new UnloopError("store_unavailable", `A Durable Object failed: ${why}`);
  }
}
