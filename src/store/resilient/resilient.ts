import { UnloopError } from "../../errors.ts";
import { StoreRefusal } from "../records.ts";
import type { Stores } from "../store.ts";

export interface ResilientOptions {
  readonly deadlineMs?: number;
  /** No exchange waits for them, so that they may take longer, and being late says nothing of them; but orders are as urgent as ever. */
  readonly isBeside?: boolean;
  /** Called once for each change: `open` when the stores are given up, `closed` when they are back. */
  readonly onChange?: (state: BreakerState, reason: string) => void;
  /** The same for stores that answer, and refuse writes alone, as a full Redis does. */
  readonly onWritesChange?: (state: BreakerState, reason: string) => void;
}

/** Failures in a row after which the stores are left alone. */
const FAILURES = 5;
/** For so long; then one command tries whether they are back. */
const PAUSE_MS = 1_000;
/** How long may take what holds up no request, such as a listing that asks many times. */
const BESIDE_MS = 2_000;

/** Commands that make a store keep more. What is removed makes room, and says nothing of that. */
const WRITES = ["write", "add", "append", "note", "put"];

type Command = (...values: unknown[]) => Promise<unknown>;

/**
 * Stores with a deadline and a circuit breaker: a slow store is worse than a dead one. Each command has a deadline,
 * and stores that keep missing it are not asked for a while. All share one fate, as they share one connection; but where
 * writes alone are refused, reading goes on.
 */
export function resilient(
  stores: Stores,
  { deadlineMs = 50, isBeside = false, onChange = ignore, onWritesChange = ignore }: ResilientOptions = {},
): Stores {
  const all = breaker(onChange);
  const writes = breaker(onWritesChange);

  async function ask<T>(command: () => Promise<T>, isWrite: boolean, isPatient: boolean): Promise<T> {
    const timed = () => within(isPatient ? BESIDE_MS : deadlineMs, command);
    const isMeant = (error: unknown) =>
      isUnavailable(error) && !(isPatient && error instanceof Lateness) && !(isWrite && isRefusal(error));
    try {
      return await all.run(() => (isWrite ? writes.run(timed, isRefusal, refusedWrites) : timed()), isMeant, leftAlone);
    } catch (error) {
      throw error instanceof UnloopError ? error : unavailable("The store failed.", error);
    }
  }

  const guarded = <Part extends object>(
    part: Part,
    names: readonly (keyof Part & string)[],
    isPatient = isBeside,
  ): Part => {
    const commands = names.map((name) => {
      const run = (values: unknown[]) => (part[name] as Command).apply(part, values);
      return [name, (...values: unknown[]) => ask(() => run(values), WRITES.includes(name), isPatient)];
    });
    return { ...part, ...Object.fromEntries(commands) };
  };

  const { sessions, counters, journal, directory, directives } = stores;
  return {
    ...stores,
    sessions: { ...guarded(sessions, ["read", "write", "remove"]), close: () => sessions.close() },
    counters: guarded(counters, ["add", "read"]),
    journal: guarded(journal, ["append", "page"]),
    directory: guarded(directory, ["note", "find", "page"]),
    directives: guarded(directives, ["put", "remove", "read"], false),
  };
}

class Lateness extends UnloopError {}

const ignore = () => undefined;
const isRefusal = (error: unknown) => error instanceof StoreRefusal;
const isUnavailable = (error: unknown) => !(error instanceof UnloopError) || error.code === "store_unavailable";
const leftAlone = () => unavailable("The store is left alone for a while, since it failed repeatedly.");
const refusedWrites = () => new StoreRefusal("The store is not written to for a while, since it refused repeatedly.");

/** Rejects after `ms`, whatever becomes of the command then. */
function within<T>(ms: number, command: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Lateness("store_unavailable", `The store did not answer within ${ms} ms.`));
    // After a busy moment timers are called before sockets are read; an answer that is here already is not late.
    let timer = setTimeout(() => {
      timer = setTimeout(late, 0);
    }, ms);
    command()
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
}

function unavailable(message: string, cause?: unknown): UnloopError {
  return new UnloopError("store_unavailable", message, cause === undefined ? {} : { cause });
}

export type BreakerState = "closed" | "open";

function breaker(onChange: (state: BreakerState, reason: string) => void) {
  /** In a row; from `FAILURES` on it is open. */
  let failures = 0;
  let pausedUntil = 0;
  let isProbing = false;
  const isOpen = () => failures >= FAILURES;

  function settle(isProbe: boolean, failure: string | undefined): void {
    const wasOpen = isOpen();
    // One that was sent before it opened says nothing about now.
    if (wasOpen && !isProbe) return;
    isProbing = false;
    failures = failure === undefined ? 0 : failures + 1;
    if (isOpen()) pausedUntil = performance.now() + PAUSE_MS;
    if (isOpen() !== wasOpen) onChange(wasOpen ? "closed" : "open", failure ?? "it answers again");
  }

  return {
    /** @param isFailure whether an error says something about the other side: of a probe that does not, the next command is one */
    async run<T>(command: () => Promise<T>, isFailure: (error: unknown) => boolean, refusal: () => Error): Promise<T> {
      const isProbe = isOpen();
      if (isProbe && (isProbing || performance.now() < pausedUntil)) throw refusal();
      isProbing = isProbe;
      try {
        const value = await command();
        settle(isProbe, undefined);
        return value;
      } catch (error) {
        if (isFailure(error)) settle(isProbe, reasonOf(error));
        else if (isProbe) isProbing = false;
        throw error;
      }
    },
  };
}

/** Error text that is safe to log: a sentence of ours, or only the kind of a foreign error, whose message may quote anything. */
function reasonOf(error: unknown): string {
  if (error instanceof UnloopError) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
