import type { Step } from "../step.ts";
import type { ThreadKey } from "../store/store.ts";
import { type RefusedNarrowings, refusedNarrowings } from "./act/interventions.ts";
import { type SteplessSessions, steplessSessions } from "./record/stepless-sessions.ts";

/** Bounded memory of one process, of which no store knows. */
export interface ProcessMemory {
  readonly inFlight: InFlight;
  readonly parallelAnswers: ParallelAnswers;
  readonly stepless: SteplessSessions;
  readonly unverified: UnverifiedQuota;
  readonly refusedNarrowings: RefusedNarrowings;
  /** Models that were missed in a price table, and reported. */
  readonly unpriced: Set<string>;
}

export function processMemory(clock: () => number): ProcessMemory {
  return {
    inFlight: inFlightThreads(),
    parallelAnswers: parallelAnswers(),
    stepless: steplessSessions(),
    unverified: unverifiedQuota(clock),
    refusedNarrowings: refusedNarrowings(clock),
    unpriced: new Set(),
  };
}

/** Which threads are being answered just now, by this process. */
export interface InFlight {
  begin(thread: ThreadKey): Ticket;
}

/** One exchange, until its answer has ended. */
export interface Ticket {
  /** Ends the exchange; must be called exactly once. */
  over(): void;
  /** No other exchange of the thread was under way at any time of it. */
  wasAlone(): boolean;
}

/** Concurrent requests of a thread are samples. */
export function inFlightThreads(): InFlight {
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

/** Threads that are remembered; the oldest make room. */
const MAX_THREADS = 1000;

/** Which threads were answered with several calls last, as far as this process knows: some clients keep one of them. */
export interface ParallelAnswers {
  /** Whether the newest step is what a client has kept of several calls. @param total steps of the thread */
  keepsOne(thread: string, total: number, newest: Step | undefined): boolean;
  /** @param total steps of the thread that was answered */
  note(thread: string, total: number, answer: Step): void;
}

export function parallelAnswers(): ParallelAnswers {
  const totals = new Map<string, number>();
  return {
    // Clients that tell each call as a step of its own have kept them all.
    keepsOne: (thread, total, newest) => newest?.calls.length === 1 && totals.get(thread) === total - 1,
    note(thread, total, { calls }) {
      totals.delete(thread);
      if (calls.length < 2) return;
      totals.set(thread, total);
      const [oldest] = totals.keys();
      if (totals.size > MAX_THREADS && oldest !== undefined) totals.delete(oldest);
    },
  };
}

/**
 * Token bucket for reports of runs that the guard ends itself and that no upstream has let in: anybody can send such requests, and
 * their entries must not crowd out the rest.
 */
export interface UnverifiedQuota {
  /** Takes a token. @returns whether there was one, so that one more is reported */
  admit(): boolean;
}

/** Tokens at once; after those one each `REFILL_MS`. */
const BURST = 100;
const REFILL_MS = 10_000;

/** @param clock milliseconds, monotonic */
export function unverifiedQuota(clock: () => number): UnverifiedQuota {
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
