import { UnloopError } from "../../errors.ts";
import { StoreRefusal } from "../refusals.ts";
import type { Stores } from "../store.ts";

export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Calls back once after so many milliseconds, unless the function it returns is called before. */
  after(ms: number, callback: () => void): () => void;
}

export interface ResilientOptions {
  /** Deadline of a command; 50 without it. */
  readonly deadlineMs?: number;
  /** After so many failures in a row the stores are left alone; 5 without it. */
  readonly failures?: number;
  /** For so long; then one command tries whether they are back. 1,000 without it. */
  readonly pauseMs?: number;
  readonly clock?: Clock;
  /** Called once for each change: `open` when the stores are given up, `closed` when they are back. */
  readonly onChange?: (state: BreakerState, reason: string) => void;
  /** The same for stores that answer, and refuse writes alone, as a full Redis does. */
  readonly onWritesChange?: (state: BreakerState, reason: string) => void;
}

/**
 * Stores with a deadline and a circuit breaker: a slow store is worse than a dead one. Each command has a deadline,
 * and stores that keep missing it are not asked for a while. All share one fate, as they share one connection; but where
 * writes alone are refused, reading goes on.
 */
export function resilient(stores: Stores, options: ResilientOptions = {}): Stores {
  const ask = guardedRun(options);
  const { sessions, counters, journal, directory, directives, directivesPollMs, isShared, heldBytes } = stores;
  return {
    isShared,
    ...(heldBytes && { heldBytes }),
    ...(directivesPollMs !== undefined && { directivesPollMs }),
    sessions: {
      read: (key) => ask(() => sessions.read(key)),
      write: (...record) => ask(() => sessions.write(...record), { writes: true }),
      remove: (key) => ask(() => sessions.remove(key)),
      close: () => sessions.close(),
    },
    counters: {
      add: (key, amounts, ttlMs) => ask(() => counters.add(key, amounts, ttlMs), { writes: true }),
      read: (key) => ask(() => counters.read(key)),
    },
    journal: {
      append: (entry, owner) => ask(() => journal.append(entry, owner), { writes: true }),
      recent: (limit) => ask(() => journal.recent(limit)),
      page: (limit, before) => ask(() => journal.page(limit, before)),
      after: (id, limit) => ask(() => journal.after(id, limit)),
    },
    directory: {
      note: (key, change, ttlMs) => ask(() => directory.note(key, change, ttlMs), { writes: true, isBackground: true }),
      find: (key) => ask(() => directory.find(key)),
      page: (limit, before, filter) => ask(() => directory.page(limit, before, filter), { isBackground: true }),
      remove: (key) => ask(() => directory.remove(key)),
    },
    directives: {
      put: (key, text, ttlMs) => ask(() => directives.put(key, text, ttlMs), { writes: true }),
      remove: (key) => ask(() => directives.remove(key)),
      read: (lastRevision) => ask(() => directives.read(lastRevision)),
    },
  };
}

interface CommandTerms {
  /** It makes the store keep more. What is removed makes room, and says nothing of that. */
  readonly writes?: boolean;
  readonly isBackground?: boolean;
}

type RunGuarded = <T>(command: () => Promise<T>, terms?: CommandTerms) => Promise<T>;

/** How long may take what holds up no request, such as a listing that asks many times: being late says nothing of the stores. */
const BACKGROUND_MS = 2_000;

function guardedRun({
  deadlineMs = 50,
  failures = 5,
  pauseMs = 1_000,
  clock = realClock,
  onChange = () => undefined,
  onWritesChange = () => undefined,
}: ResilientOptions): RunGuarded {
  const terms = { failures, pauseMs, now: clock.now };
  const { admit, succeeded, failed, withdrawn } = breaker({ ...terms, onChange });
  const write = writing(breaker({ ...terms, onChange: onWritesChange }));
  return async (command, { writes = false, isBackground = false } = {}) => {
    const admitted = admit();
    if (admitted === "no") throw unavailable("The store is left alone for a while, since it failed repeatedly.");
    const run = () => within(isBackground ? BACKGROUND_MS : deadlineMs, clock, command);
    try {
      const value = await (writes ? write(run) : run());
      succeeded(admitted);
      return value;
    } catch (error) {
      const reported = error instanceof UnloopError ? error : unavailable("The store failed.", error);
      const isRefused = writes && reported instanceof StoreRefusal;
      if (reported.code !== "store_unavailable" || isBackground || isRefused) withdrawn(admitted);
      else failed(admitted, reasonOf(error));
      throw reported;
    }
  };
}

/** Runs what writes, unless the store has refused that repeatedly. Every other failure says nothing about writing. */
function writing({ admit, succeeded, failed, withdrawn }: Breaker): <T>(run: () => Promise<T>) => Promise<T> {
  return async (run) => {
    const admitted = admit();
    if (admitted === "no")
      throw new StoreRefusal("The store is not written to for a while, since it refused repeatedly.");
    try {
      const value = await run();
      succeeded(admitted);
      return value;
    } catch (error) {
      if (error instanceof StoreRefusal) failed(admitted, error.message);
      else withdrawn(admitted);
      throw error;
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

/** State of a circuit breaker: `open` lets no command through. */
export type BreakerState = "closed" | "open";

export interface Breaker {
  /** Whether the next command may be sent. `probe` when all depends on it: exactly one is sent then. */
  admit(): "yes" | "probe" | "no";
  succeeded(admitted: "yes" | "probe"): void;
  failed(admitted: "yes" | "probe", reason: string): void;
  /** The command was never sent, so it says nothing about the other side. */
  withdrawn(admitted: "yes" | "probe"): void;
}

export interface BreakerOptions {
  /** Failures in a row that open the breaker. */
  readonly failures: number;
  /** Pause for which the breaker stays open before the next command is a probe. */
  readonly pauseMs: number;
  readonly now: () => number;
  /** Called once for each change. */
  readonly onChange: (state: BreakerState, reason: string) => void;
}

type BreakerPhase =
  | { readonly kind: "closed"; readonly failures: number }
  | { readonly kind: "open"; readonly until: number }
  | { readonly kind: "probing" };

/** Circuit breaker: stops sending commands to a failing store, and probes with a single one whether it is back. */
export function breaker({ failures, pauseMs, now, onChange }: BreakerOptions): Breaker {
  let state: BreakerPhase = { kind: "closed", failures: 0 };
  return {
    admit() {
      if (state.kind === "closed") return "yes";
      if (state.kind === "probing" || now() < state.until) return "no";
      state = { kind: "probing" };
      return "probe";
    },
    succeeded(admitted) {
      // One that was sent before it opened says nothing about now.
      if (admitted === "yes" && state.kind !== "closed") return;
      state = { kind: "closed", failures: 0 };
      if (admitted === "probe") onChange("closed", "it answers again");
    },
    failed(admitted, reason) {
      if (admitted === "probe") {
        state = { kind: "open", until: now() + pauseMs };
      } else if (state.kind === "closed") {
        const count = state.failures + 1;
        const opens = count >= failures;
        state = opens ? { kind: "open", until: now() + pauseMs } : { kind: "closed", failures: count };
        if (opens) onChange("open", reason);
      }
    },
    withdrawn(admitted) {
      if (admitted === "probe") state = { kind: "open", until: now() };
    },
  };
}
