import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import { UnloopError } from "../../errors.ts";
import type { CountersObject } from "./counters.ts";
import type { DirectivesObject } from "./directives.ts";
import { type DirectoryObject, entryOf } from "./directory.ts";
import type { JournalObject, NumberedEntry } from "./journal.ts";
import type { ThreadObject } from "./thread.ts";
import { partsOfPosition, positionOf } from "../directory-pages.ts";
import { refuseOversized, refuseOversizedFields, refuseUncountable } from "../refusals.ts";
import type { Counters, Directives, Directory, Journal, JournalItem, SessionStore, Stores } from "../store.ts";

export { CountersObject } from "./counters.ts";
export { DirectivesObject } from "./directives.ts";
export { DirectoryObject } from "./directory.ts";
export { JournalObject } from "./journal.ts";
export { ThreadObject } from "./thread.ts";

/** The namespaces that `wrangler.toml` binds. */
export interface ObjectNamespaces {
  readonly THREADS: DurableObjectNamespace<ThreadObject>;
  readonly COUNTERS: DurableObjectNamespace<CountersObject>;
  readonly JOURNAL: DurableObjectNamespace<JournalObject>;
  readonly DIRECTORY: DurableObjectNamespace<DirectoryObject>;
  readonly DIRECTIVES: DurableObjectNamespace<DirectivesObject>;
}

export interface DurableObjectStoreOptions {
  /** The name of the objects that there is one each of: journal, directory, directives; `journal` without it. */
  readonly name?: string;
  /** Capacity of the journal, in entries; 1,000 without it. */
  readonly journalCapacity?: number;
}

/**
 * Everything in SQLite-backed Durable Objects: one for each thread, one for each session's sums, and one each for the
 * journal, the directory of sessions and the directives.
 */
export function durableObjectStores(
  { THREADS, COUNTERS, JOURNAL, DIRECTORY, DIRECTIVES }: ObjectNamespaces,
  { name = "journal", journalCapacity = 1_000 }: DurableObjectStoreOptions = {},
): Stores {
  return {
    sessions: sessionsIn(THREADS),
    counters: countersIn(COUNTERS),
    journal: journalIn(JOURNAL, name, journalCapacity),
    directory: directoryIn(DIRECTORY, name),
    directives: directivesIn(DIRECTIVES, name),
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
  return {
    async note(key, { at, set, first, add }, ttlMs) {
      refuseUncountable(add);
      refuseOversizedFields(set);
      const change = { key, at, set: Object.entries(set), first: Object.entries(first), add: Object.entries(add) };
      await ask(() => namespace.getByName(name).note(change, ttlMs));
    },
    async find(key) {
      const message = await ask(() => namespace.getByName(name).find(key));
      return message === undefined ? undefined : entryOf(message);
    },
    async page(limit, before, filter) {
      const behind = before === undefined ? { at: Number.MAX_SAFE_INTEGER, key: "" } : partsOfPosition(before);
      const { rows, next } = await ask(() => namespace.getByName(name).page(limit, behind.at, behind.key, filter));
      return { entries: rows.map(entryOf), next: next === undefined ? undefined : positionOf(next) };
    },
    remove: (key) => ask(() => namespace.getByName(name).remove(key)),
  };
}

function directivesIn(namespace: ObjectNamespaces["DIRECTIVES"], name: string): Directives {
  return {
    async put(key, text, ttlMs) {
      refuseOversized(text);
      await ask(() => namespace.getByName(name).put(key, text, ttlMs));
    },
    remove: (key) => ask(() => namespace.getByName(name).remove(key)),
    async read(lastRevision) {
      const answer = await ask(() => namespace.getByName(name).read(lastRevision));
      if (answer === undefined) return undefined;
      const { revision, standing } = answer;
      return { revision, texts: new Map(standing.map(({ key, text }) => [key, text])) };
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
