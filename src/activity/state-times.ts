import type { ThreadKey } from "../store/store.ts";
import type { RunState } from "./run-state.ts";
import { keepNewest } from "./step-times.ts";

/** Beginnings of states, as far as this process has seen them: an entry is written without being read. */
export interface StateTimes {
  /** When a thread that is in a state now came into it; Unix time, milliseconds. @param at now */
  since(thread: ThreadKey, state: RunState, at: number): number;
}

const MAX_THREADS = 10_000;

export function stateTimes(): StateTimes {
  const known = new Map<ThreadKey, { readonly state: RunState; readonly since: number }>();
  return {
    since(thread, state, at) {
      const before = known.get(thread);
      const since = before?.state === state ? before.since : at;
      keepNewest(known, thread, { state, since }, MAX_THREADS);
      return since;
    },
  };
}
