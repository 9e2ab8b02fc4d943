import type { ThreadKey } from "../store/store.ts";
import { BoundedMap } from "../text/bounded-map.ts";

/** Bounded memory of one process, of which no store knows. */
export interface ProcessMemory {
  /** Threads that are being answered just now. */
  readonly inFlight: { begin(thread: ThreadKey): Ticket };
  /** Threads that were answered with several calls last, each with its steps then: some clients keep one of the calls. */
  readonly parallelAnswers: Map<ThreadKey, number>;
  /** Requests in a row that told no step, by session or client; undefined once one has told a step. */
  readonly stepless: Map<string, number | undefined>;
  /** Takes a token from the bucket for reports of unverified runs. @returns whether there was one, so that one more is reported */
  readonly unverified: { admit(): boolean };
  /** Changes that an API has refused although it took less of them, and when it did. */
  readonly refusedChanges: Map<string, number>;
  readonly unpriced: Map<string, true>;
}

/** Names that clients choose, or threads; the oldest make room. */
const MAX_NAMES = 1000;
/** Tokens at once; after those one each `REFILL_MS`. */
const BURST = 100;
const REFILL_MS = 10_000;

export function processMemory(clock: () => number): ProcessMemory {
  return {
    inFlight: inFlightThreads(),
    parallelAnswers: new BoundedMap(MAX_NAMES),
    stepless: new BoundedMap(MAX_NAMES),
    unverified: unverifiedQuota(clock),
    refusedChanges: new BoundedMap(MAX_NAMES),
    unpriced: new BoundedMap(MAX_NAMES),
  };
}

/** One exchange, until its answer has ended. */
export interface Ticket {
  /** Ends the exchange; must be called exactly once. */
  over(): void;
  /** No other exchange of the thread was under way at any time of it: concurrent requests of a thread are samples. */
  wasAlone(): boolean;
}

function inFlightThreads(): ProcessMemory["inFlight"] {
  const threads = new Map<ThreadKey, Set<{ alone: boolean }>>();
  return {
    begin(thread) {
      const together = threads.get(thread) ?? new Set();
      threads.set(thread, together);
      const own = { alone: true };
      together.add(own);
      if (together.size > 1) for (const one of together) one.alone = false;
      return {
        over() {
          together.delete(own);
          if (together.size === 0) threads.delete(thread);
        },
        wasAlone: () => own.alone,
      };
    },
  };
}

/**
 * Token bucket for reports of runs that the guard ends itself and that no upstream has let in: anybody can send such requests, and
 * their entries must not crowd out the rest. @param clock milliseconds, monotonic
 */
function unverifiedQuota(clock: () => number): ProcessMemory["unverified"] {
  let left = BURST;
  let since = clock();
  return {
    admit() {
      const gained = Math.floor((clock() - since) / REFILL_MS);
      since += gained * REFILL_MS;
      left = Math.min(BURST, left + gained);
      if (left === 0) return false;
      left -= 1;
      return true;
    },
  };
}
