/**
 * How often operators are told of runs that the guard ends itself and no upstream has let in: anybody can send such, and
 * what is told of them must not crowd out the rest.
 */
export interface StrangerQuota {
  /** Whether one more is told of. */
  admit(): boolean;
}

/** For those whom an operator's token lets in. */
export const noQuota: StrangerQuota = { admit: () => true };

/** At once, and then one more each time. */
const BURST = 100;
const REFILL_MS = 10_000;

/** @param clock milliseconds, monotonic */
export function strangerQuota(clock: () => number): StrangerQuota {
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
