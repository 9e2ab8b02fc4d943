import { UnloopError } from "../../errors.ts";
import { type BreakerState, breaker } from "./breaker.ts";
import type { Stores } from "../store.ts";

export type { BreakerState } from "./breaker.ts";

export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Calls back once after so many milliseconds, unless the function it returns is called before. */
  after(ms: number, callback: () => void): () => void;
}

export interface ResilientOptions {
  /** How long a command may take; 50 without it. */
  readonly deadlineMs?: number;
  /** After so many failures in a row the stores are left alone; 5 without it. */
  readonly failures?: number;
  /** For so long; then one command tries whether they are back. 1,000 without it. */
  readonly pauseMs?: number;
  readonly clock?: Clock;
  /** Called once for each change: `open` when the stores are given up, `closed` when they are back. */
  readonly onChange?: (state: BreakerState, reason: string) => void;
}

/**
 * Stores with a deadline and a circuit breaker: a slow store is worse than a dead one. Each command has a deadline,
 * and stores that keep missing it are not asked for a while. All share one fate, as they share one connection.
 */
export function resilient(stores: Stores, options: ResilientOptions = {}): Stores {
  const ask = asking(options);
  const { sessions, counters, journal, directory, directives, isShared, heldBytes } = stores;
  return {
    isShared,
    ...(heldBytes && { heldBytes }),
    sessions: {
      read: (key) => ask(() => sessions.read(key)),
      write: (key, json, version, ttlMs, succession) =>
        ask(() => sessions.write(key, json, version, ttlMs, succession)),
      remove: (key) => ask(() => sessions.remove(key)),
      close: () => sessions.close(),
    },
    counters: {
      add: (key, amounts, ttlMs) => ask(() => counters.add(key, amounts, ttlMs)),
      read: (key) => ask(() => counters.read(key)),
    },
    journal: {
      append: (entry, owner) => ask(() => journal.append(entry, owner)),
      recent: (limit) => ask(() => journal.recent(limit)),
      page: (limit, before) => ask(() => journal.page(limit, before)),
      after: (id, limit) => ask(() => journal.after(id, limit)),
    },
    directory: {
      note: (key, change, ttlMs) => ask(() => directory.note(key, change, ttlMs), "background"),
      find: (key) => ask(() => directory.find(key)),
      page: (limit, before, filter) => ask(() => directory.page(limit, before, filter), "background"),
      remove: (key) => ask(() => directory.remove(key)),
    },
    directives: {
      put: (key, text, ttlMs) => ask(() => directives.put(key, text, ttlMs)),
      remove: (key) => ask(() => directives.remove(key)),
      read: (known) => ask(() => directives.read(known)),
    },
  };
}

type RunGuarded = <T>(command: () => Promise<T>, kind?: "command" | "background") => Promise<T>;

/** How long may take what holds up no request, such as a listing that asks many times: being late says nothing of the stores. */
const BACKGROUND_MS = 2_000;

function asking({
  deadlineMs = 50,
  failures = 5,
  pauseMs = 1_000,
  clock = realClock,
  onChange = () => undefined,
}: ResilientOptions): RunGuarded {
  const { admit, succeeded, failed, withdrawn } = breaker({ failures, pauseMs, now: clock.now, onChange });
  return async (command, kind = "command") => {
    const admitted = admit();
    if (admitted === "no") throw unavailable("The store is left alone for a while, since it failed repeatedly.");
    try {
      const value = await within(kind === "background" ? BACKGROUND_MS : deadlineMs, clock, command);
      succeeded(admitted);
      return value;
    } catch (error) {
      const told = error instanceof UnloopError ? error : unavailable("The store failed.", error);
      if (told.code !== "store_unavailable" || kind === "background") withdrawn(admitted);
      else failed(admitted, reasonOf(error));
      throw told;
    }
  };
}

/** Error text that is safe to log: a sentence of ours, or only the kind of a foreign error, whose message may quote anything. */
function reasonOf(error: unknown): string {
  if (error instanceof UnloopError) return error.message;
  return error instanceof Error ? error.name : typeof error;
}

/** Rejects after `ms`, whatever becomes of the command then. */
function within<T>(ms: number, clock: Clock, command: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(unavailable(`The store did not answer within ${ms} ms.`));
    // After a busy moment timers are called before sockets are read; an answer that is here already is not late.
    let cancel = clock.after(ms, () => {
      cancel = clock.after(0, late);
    });
    command().then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}

// A timer that is set and cleared costs a fraction of a microsecond (measured), so each command has its own.
const realClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

function unavailable(message: string, cause?: unknown): UnloopError {
  return new UnloopError("store_unavailable", message, cause === undefined ? {} : { cause });
}
