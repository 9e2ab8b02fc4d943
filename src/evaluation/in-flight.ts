import type { ThreadKey } from "../store/store.ts";

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

/** Builds what is to end an exchange; where that fails, nobody else will, and it is over. */
export function endingOnFailure<T>(ticket: Ticket, build: () => T): T {
  let isBuilt = false;
  try {
    const built = build();
    isBuilt = true;
    return built;
  } finally {
    if (!isBuilt) ticket.over();
  }
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
