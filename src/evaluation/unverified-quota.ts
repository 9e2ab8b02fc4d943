/**
 * Token bucket for reports of runs that the guard ends itself and that no upstream has let in: anybody can send such requests, and
 * their entries must not crowd out the rest.
 */
export interface UnverifiedQuota {
  /** Takes a token. @returns whether there was one, so that one more is reported */
  admit(): boolean;
}

/** Quota for requests with an operator's token: no limit. */
export const unlimited: UnverifiedQuota = { admit: () => true };

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
