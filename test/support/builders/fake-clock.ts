import type { Clock } from "../../../src/store/resilient/resilient.ts";

export interface FakeClock extends Clock {
  /** Lets time pass: calls what is due in order, and lets what waits for it go on. */
  advance(ms: number): Promise<void>;
  /** How many timers are set. */
  pending(): number;
}

/** A clock that stands still until it is moved. */
export function fakeClock(): FakeClock {
  let time = 1_000;
  let timers: readonly { readonly at: number; readonly callback: () => void }[] = [];
  return {
    now: () => time,
    after(ms, callback) {
      const timer = { at: time + ms, callback };
      timers = [...timers, timer];
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const end = time + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        time = next.at;
        next.callback();
        await settled();
      }
      time = end;
      await settled();
    },
    pending: () => timers.length,
  };
}

/** Resolves after all that was waiting for promises has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
