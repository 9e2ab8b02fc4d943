import type {
  DurableObjectJurisdiction,
  DurableObjectLocationHint,
  DurableObjectNamespace,
} from "@cloudflare/workers-types";
import { UnloopError } from "../../errors.ts";
import type { CountersObject } from "./record.ts";
import type { DirectoryObject, JournalObject, NoteMessage, NumberedEntry } from "./lists.ts";
import type { ThreadCommand, ThreadObject, ThreadResult } from "./thread.ts";
import { directoryOver, entryOf } from "../directory.ts";
import { directivesOver } from "../directives.ts";
import {
  type Counters,
  type Directory,
  type Journal,
  type JournalItem,
  partsOf,
  refuseOversized,
  refuseUncountable,
  type SessionKey,
  type SessionStore,
  type Stored,
  type Stores,
  type ThreadKey,
} from "../store.ts";

export { CountersObject } from "./record.ts";
export { ThreadObject } from "./thread.ts";
export { DirectoryObject, JournalObject } from "./lists.ts";

/** The namespaces that `wrangler.toml` binds. */
export interface ObjectNamespaces {
  readonly THREADS: DurableObjectNamespace<ThreadObject>;
  readonly COUNTERS: DurableObjectNamespace<CountersObject>;
  readonly JOURNAL: DurableObjectNamespace<JournalObject>;
  readonly DIRECTORY: DurableObjectNamespace<DirectoryObject>;
}

/** Options of stores in Durable Objects; each may be left out. */
export interface DurableObjectStoreOptions {
  /** The name of the objects that there is one each of: journal and directory; `journal` without it. */
  readonly name?: string;
  /** Capacity of the journal, in entries; 1,000 without it. */
  readonly journalCapacity?: number;
  /** Where all objects stay; anywhere without it. */
  readonly jurisdiction?: DurableObjectJurisdiction | undefined;
  /** Where new objects should be; near who asks first without it. */
  readonly locationHint?: DurableObjectLocationHint | undefined;
}

/**
 * Everything in SQLite-backed Durable Objects: one for each session's threads, one for its sums, and one each for the
 * journal, the directory of sessions and the directives.
 */
export function durableObjectStores(
  namespaces: ObjectNamespaces,
  { name = "journal", journalCapacity = 1_000, ...place }: DurableObjectStoreOptions = {},
): Stores {
  const { THREADS, COUNTERS, JOURNAL, DIRECTORY } = placedNamespaces(namespaces, place);
  return {
    sessions: sessionsIn(THREADS),
    counters: countersIn(COUNTERS),
    journal: journalIn(JOURNAL, name, journalCapacity),
    directory: directoryIn(DIRECTORY, name),
    directives: directivesOver(sessionsIn({ getByName: () => THREADS.getByName(`${name}~directives`) })),
    directivesPollMs: 2_000,
    isShared: true,
  };
}

function placedNamespaces(
  namespaces: ObjectNamespaces,
  { jurisdiction, locationHint }: Pick<DurableObjectStoreOptions, "jurisdiction" | "locationHint">,
): ObjectNamespaces {
  if (!jurisdiction && !locationHint) return namespaces;
  const placed = (namespace: ObjectNamespaces[keyof ObjectNamespaces]) => {
    const there = jurisdiction ? namespace.jurisdiction(jurisdiction) : namespace;
    return { getByName: (name: string) => there.getByName(name, locationHint ? { locationHint } : {}) };
  };
  const { THREADS, COUNTERS, JOURNAL, DIRECTORY } = namespaces;
  // Each is asked for objects by name, and for nothing else.
  return {
    THREADS: placed(THREADS),
    COUNTERS: placed(COUNTERS),
    JOURNAL: placed(JOURNAL),
    DIRECTORY: placed(DIRECTORY),
  } as unknown as ObjectNamespaces;
}

// An object is looked up for each command: what belongs to one request must not be used by the next.

function sessionsIn(threads: Pick<ObjectNamespaces["THREADS"], "getByName">): SessionStore {
  const batches = new Map<
    string,
    { readonly commands: ThreadCommand[]; readonly sent: Promise<readonly ThreadResult[]> }
  >();

  /** Commands of one go for one session travel together. Resolves to what the command came to. */
  async function run(key: ThreadKey, commandFor: (thread: string) => ThreadCommand) {
    const { session, thread } = partsOf(key);
    const batch = batches.get(session) ?? batchFor(session);
    const at = batch.commands.push(commandFor(thread)) - 1;
    return (await batch.sent)[at];
  }

  function batchFor(session: string) {
    const commands: ThreadCommand[] = [];
    const sent = Promise.resolve().then(() => {
      batches.delete(session);
      return ask(() => threads.getByName(session).run(commands));
    });
    const batch = { commands, sent };
    batches.set(session, batch);
    return batch;
  }

  return {
    read: async (key) => (await run(key, (thread) => ({ kind: "read", thread }))) as Stored | undefined,
    async write(key, json, expectedVersion, ttlMs, plain) {
      refuseOversized(json);
      return (await run(key, (thread) => ({ kind: "write", thread, json, expectedVersion, ttlMs, plain }))) === true;
    },
    async remove(key) {
      await run(key, (thread) => ({ kind: "remove", thread }));
    },
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
    async page(limit, before) {
      const least = before === undefined ? Number.MAX_SAFE_INTEGER : Number(before);
      const count = Math.min(limit, capacity);
      return count < 1 ? [] : itemsOf(await ask(() => namespace.getByName(name).page(count, least)));
    },
    async after(id, limit) {
      return limit < 1 ? [] : itemsOf(await ask(() => namespace.getByName(name).after(Number(id ?? 0), limit)));
    },
  };
}

function itemsOf(rows: readonly NumberedEntry[]): readonly JournalItem[] {
  return rows.map(({ number, entry }) => ({ id: String(number), entry }));
}

function directoryIn(namespace: ObjectNamespaces["DIRECTORY"], name: string): Directory {
  let batch: { readonly changes: NoteMessage[]; readonly ttlMs: number; readonly sent: Promise<void> } | undefined;

  /** Changes that are noted in one go travel together. */
  function batchFor(ttlMs: number) {
    const changes: NoteMessage[] = [];
    const sent = Promise.resolve().then(() => {
      batch = undefined;
      return ask(() => namespace.getByName(name).note(changes, ttlMs));
    });
    return { changes, ttlMs, sent };
  }

  return directoryOver({
    async note(key, change, ttlMs) {
      if (batch?.ttlMs !== ttlMs) batch = batchFor(ttlMs);
      batch.changes.push({ key, ...change });
      return batch.sent;
    },
    async find(key) {
      const row = await ask(() => namespace.getByName(name).find(key));
      return row && entryOf(key, JSON.parse(row.json));
    },
    async newest(limit, { at, key } = { at: Number.MAX_SAFE_INTEGER, key: "" as SessionKey }) {
      const rows = await ask(() => namespace.getByName(name).newest(limit, at, key));
      return rows.map((row) => entryOf(row.key, JSON.parse(row.json)));
    },
    remove: (key) => ask(() => namespace.getByName(name).remove(key)),
  });
}

async function ask<T>(command: () => Promise<T>): Promise<T> {
  try {
    return await command();
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown";
    throw new UnloopError("store_unavailable", `A Durable Object failed: ${why}`);
  }
}
