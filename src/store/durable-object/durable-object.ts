import type {
  DurableObjectJurisdiction,
  DurableObjectLocationHint,
  DurableObjectNamespace,
} from "@cloudflare/workers-types";
import { UnloopError } from "../../errors.ts";
import type { DirectoryObject, JournalObject, NoteMessage } from "./lists.ts";
import type { ThreadCommand, ThreadObject, ThreadResult } from "./thread.ts";
import { directoryOver, directivesOver, entryOf, readTotals } from "../records.ts";
import {
  type Counters,
  type Directory,
  type Journal,
  partsOf,
  refuseOversized,
  refuseUncountable,
  type SessionKey,
  type SessionStore,
  type Stored,
  type Stores,
  type ThreadKey,
} from "../store.ts";

export { ThreadObject } from "./thread.ts";
export { DirectoryObject, JournalObject } from "./lists.ts";

/** The namespaces that `wrangler.toml` binds. */
export interface ObjectNamespaces {
  readonly THREADS: DurableObjectNamespace<ThreadObject>;
  readonly JOURNAL: DurableObjectNamespace<JournalObject>;
  readonly DIRECTORY: DurableObjectNamespace<DirectoryObject>;
}

/** Options of stores in Durable Objects; each may be left out. */
export interface DurableObjectStoreOptions {
  /** The name of the objects that there is one each of: journal and directory; `journal` without it. */
  readonly name?: string;
  /** In entries; 1,000 without it. */
  readonly journalCapacity?: number;
  readonly jurisdiction?: DurableObjectJurisdiction | undefined;
  /** Where new objects should be; near who asks first without it. */
  readonly locationHint?: DurableObjectLocationHint | undefined;
}

/** Everything in SQLite-backed Durable Objects: one for each session, and one each for journal, directory and directives. */
export function durableObjectStores(
  namespaces: ObjectNamespaces,
  { name = "journal", journalCapacity = 1_000, ...place }: DurableObjectStoreOptions = {},
): Stores {
  const { THREADS, JOURNAL, DIRECTORY } = placedNamespaces(namespaces, place);
  const run = commandsOf(THREADS);
  return {
    sessions: sessionsIn(run),
    counters: countersIn(run),
    journal: journalIn(JOURNAL, name, journalCapacity),
    directory: directoryIn(DIRECTORY, name),
    directives: directivesOver(sessionsIn(commandsOf({ getByName: () => THREADS.getByName(`${name}~directives`) }))),
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
  const names = ["THREADS", "JOURNAL", "DIRECTORY"] as const;
  return Object.fromEntries(names.map((name) => [name, placed(namespaces[name])])) as unknown as ObjectNamespaces;
}

// An object is looked up for each command: what belongs to one request must not be used by the next.

/** Items of one go travel together. Gives where an item stands among them, and what was answered to all. */
function gathering<Item, Answer>(send: (items: readonly Item[]) => Promise<Answer>) {
  let batch: { readonly items: Item[]; readonly sent: Promise<Answer> } | undefined;
  return async (item: Item): Promise<readonly [answer: Answer, at: number]> => {
    if (batch === undefined) {
      const items: Item[] = [];
      const sent = Promise.resolve().then(() => {
        batch = undefined;
        return ask(() => send(items));
      });
      batch = { items, sent };
    }
    const at = batch.items.push(item) - 1;
    return [await batch.sent, at];
  };
}

type RunCommand = (key: ThreadKey, commandFor: (thread: string) => ThreadCommand) => Promise<ThreadResult>;

function commandsOf(threads: Pick<ObjectNamespaces["THREADS"], "getByName">): RunCommand {
  const batches = new Map<string, ReturnType<typeof gathering<ThreadCommand, readonly ThreadResult[]>>>();

  function batchOf(session: string) {
    const batch = gathering((commands: readonly ThreadCommand[]) => {
      batches.delete(session);
      return threads.getByName(session).run(commands);
    });
    batches.set(session, batch);
    return batch;
  }

  return async (key, commandFor) => {
    const { session, thread } = partsOf(key);
    const [results, at] = await (batches.get(session) ?? batchOf(session))(commandFor(thread));
    return results[at];
  };
}

function sessionsIn(run: RunCommand): SessionStore {
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

function countersIn(run: RunCommand): Counters {
  const sums = async (key: SessionKey, commandFor: (thread: string) => ThreadCommand) => {
    const stored = (await run(`${key}.sums` as ThreadKey, commandFor)) as Stored | undefined;
    return readTotals(stored?.json ?? "{}");
  };
  return {
    async add(key, amounts, ttlMs) {
      refuseUncountable(amounts);
      return sums(key, (thread) => ({ kind: "add", thread, amounts: JSON.stringify(amounts), ttlMs }));
    },
    read: (key) => sums(key, (thread) => ({ kind: "read", thread })),
  };
}

function journalIn(namespace: ObjectNamespaces["JOURNAL"], name: string, capacity: number): Journal {
  return {
    async append(entry) {
      refuseOversized(entry);
      await ask(() => namespace.getByName(name).append(entry, capacity));
    },
    async page(limit, before = String(Number.MAX_SAFE_INTEGER)) {
      const count = Math.min(limit, capacity);
      return count < 1 ? [] : ask(() => namespace.getByName(name).page(count, Number(before)));
    },
  };
}

function directoryIn(namespace: ObjectNamespaces["DIRECTORY"], name: string): Directory {
  const object = () => namespace.getByName(name);
  const note = gathering((notes: readonly NoteMessage[]) => object().note(notes));
  return directoryOver({
    async note(key, change, ttlMs) {
      await note({ key, change: JSON.stringify(change), ttlMs });
    },
    async find(key) {
      return entryOf(key, await ask(() => object().find(key)));
    },
    async newest(limit, behind) {
      const rows = await ask(() => object().newest(limit, behind?.at ?? Number.MAX_SAFE_INTEGER, behind?.key ?? ""));
      return rows.flatMap(({ key, json }) => entryOf(key, json) ?? []);
    },
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
