import type { DirectoryChange, SessionKey, Stores, ThreadKey } from "../store/store.ts";
import { keepNewest, type StepTimes, stepTimes } from "./step-times.ts";
import type { RunState } from "./run-state.ts";

export {
  type Containment,
  type Containments,
  containments,
  resetDirective,
} from "./containments.ts";
export { type LoopEntry, loopEntry, loopText, readLoop } from "./loop-entry.ts";
export { keepNewest, type StepTime } from "./step-times.ts";
export { type RunState, runStates, type StateAt, stateOfThreads, stateText } from "./run-state.ts";

/** Activity of sessions, gathered for the directory that operators read. */
export interface Activity {
  /** Resolves when it is kept; undefined where it is gathered first. */
  note(key: SessionKey, change: DirectoryChange): Promise<void> | undefined;
  flush(): Promise<void>;
  readonly steps: StepTimes;
  readonly states: StateTimes;
  /** The directory as operators read it: with what is gathered here. */
  readonly directory: Stores["directory"];
}

export interface ActivityOptions {
  readonly directory: Stores["directory"];
  /** Lifetime of a session's steps, in milliseconds. */
  readonly ttlMs: () => number;
  /** Time for which changes are gathered before they are written, in milliseconds: a busy session costs one command each time. 0: every change is written at once. */
  readonly gatherMs: number;
  /** Keeps the platform from ending work that goes on behind its exchange; undefined where nothing ends it. */
  readonly outlive: ((work: Promise<void>) => void) | undefined;
  /** Runs a background task; its failure is caught and logged. */
  readonly inBackground: (run: () => Promise<void>) => Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Lifetime of an entry, in milliseconds: sums of a day need it for longer than its steps are kept. */
export const entryLifetime = (sessionTtlMs: number): number => Math.max(sessionTtlMs, DAY_MS);

/** Sessions whose changes are gathered at most. */
const MAX_GATHERED = 2_000;

/** Told to the store at once: requests have their turn between them. */
const NOTED_TOGETHER = 50;

export function activity({ directory, ttlMs, gatherMs, outlive, inBackground }: ActivityOptions): Activity {
  let changes = new Map<SessionKey, GatheredChange>();
  let waitsUntil = 0;
  let underWay: Promise<void> | undefined;

  async function flush(): Promise<void> {
    // Where exchanges have to outlive themselves, they must not wait for each other's promises either.
    if (gatherMs === 0 || outlive !== undefined) return tell();
    await underWay;
    underWay ??= tell().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  async function tell(): Promise<void> {
    const notes = [...changes];
    if (notes.length === 0) return;
    changes = new Map();
    waitsUntil = 0;
    for (let from = 0; from < notes.length; from += NOTED_TOGETHER)
      await inBackground(() => noteAll(notes.slice(from, from + NOTED_TOGETHER)));
  }

  async function noteAll(notes: readonly (readonly [SessionKey, DirectoryChange])[]): Promise<void> {
    const noted = await Promise.allSettled(
      notes.map(([key, change]) => directory.note(key, change, entryLifetime(ttlMs()))),
    );
    const refused = noted.find((one) => one.status === "rejected");
    if (refused !== undefined) throw refused.reason;
  }

  return {
    flush,
    steps: stepTimes(),
    states: stateTimes(),
    note(key, change) {
      const before = changes.get(key);
      if (before !== undefined) gather(before, change);
      // A store that answers late is told of fewer, rather than more and more being kept for it.
      else if (changes.size < MAX_GATHERED)
        changes.set(key, { ...change, set: { ...change.set }, add: { ...change.add } });
      if (gatherMs === 0 || changes.size >= MAX_GATHERED) return flush();
      // Whoever was to write may have been ended by its platform.
      if (Date.now() < waitsUntil + gatherMs) return undefined;
      waitsUntil = Date.now() + gatherMs;
      const written = new Promise((resolve) => setTimeout(resolve, gatherMs)).then(flush);
      outlive?.(written);
      return undefined;
    },
    directory: {
      ...directory,
      find: (key) => flush().then(() => directory.find(key)),
      page: (limit, before, filter) => flush().then(() => directory.page(limit, before, filter)),
    },
  };
}

/** Unwritten changes of one entry. Changed in place: a busy session has many changes in a second. */
interface GatheredChange extends Omit<DirectoryChange, "at" | "set" | "add"> {
  at: number;
  readonly set: Record<string, string>;
  readonly add: Record<string, number>;
}

function gather(before: GatheredChange, { at, set, add }: DirectoryChange): void {
  before.at = at;
  Object.assign(before.set, set);
  for (const name of Object.keys(add)) before.add[name] = (before.add[name] ?? 0) + (add[name] ?? 0);
}

/** Beginnings of states, as far as this process has seen them: an entry is written without being read. */
interface StateTimes {
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
