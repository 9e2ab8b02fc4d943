import type { ThreadKey } from "../store/store.ts";

/** When the answer with a step was over, and what its exchange used; or how often the upstream failed in its place. */
export interface StepTime {
  /** Index of the step in its thread. */
  readonly step: number;
  /** Unix time, milliseconds. */
  readonly at: number;
  /** Input and output together; 0 where the answer did not say. */
  readonly tokens: number;
  /** A status, or why no answer came; undefined for an answer. */
  readonly failure?: string | undefined;
  /** Answers alike, one after another. */
  readonly times: number;
}

/** Times of the newest steps, as far as this process has relayed them: fingerprints know none. */
export interface StepTimes {
  note(thread: ThreadKey, time: Omit<StepTime, "times">): void;
  /** Oldest first. */
  of(thread: ThreadKey): readonly StepTime[];
}

/** As many steps as a window has, of as many threads as an operator may come to look at. */
const MAX_STEPS = 64;
const MAX_THREADS = 1_000;

/** Puts a value last, and the first away where there are too many. */
export function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value ?? key);
}

export function stepTimes(): StepTimes {
  const times = new Map<ThreadKey, StepTime[]>();
  return {
    note(thread, time) {
      const own = times.get(thread) ?? [];
      keepNewest(times, thread, own, MAX_THREADS);
      const last = own.at(-1);
      const isAgain = last?.step === time.step && last.failure === time.failure;
      if (isAgain) own.pop();
      own.push({ ...time, times: isAgain ? last.times + 1 : 1 });
      if (own.length > MAX_STEPS) own.shift();
    },
    of: (thread) => times.get(thread) ?? [],
  };
}
