import type { DirectoryChange, SessionKey, Stores, Totals } from "../store/store.ts";
import { isToolCount } from "./counts.ts";
import { type StateTimes, stateTimes } from "./state-times.ts";
import { type StepTimes, stepTimes } from "./step-times.ts";

export { type Count, countName, readCountName, type SpentCount } from "./counts.ts";
export {
  type Containment,
  type Containments,
  containments,
  resetDirective,
} from "./containments.ts";
export { type LoopEntry, loopEntry, loopText, readLoop } from "./loop-entry.ts";
export type { StepTime } from "./step-times.ts";
export { type RunState, runStates, type StateAt, stateOfThreads, stateText } from "./run-state.ts";

/** Activity of sessions, gathered for the directory and for the sums that operators read. */
export interface Activity {
  /** Resolves when it is kept; undefined where it is gathered first. */
  note(key: SessionKey, change: DirectoryChange, counts: Totals): Promise<void> | undefined;
  flush(): Promise<void>;
  readonly steps: StepTimes;
  readonly states: StateTimes;
  /** The stores as operators read them: with what is gathered here. */
  readonly readers: Pick<Stores, "directory" | "counters">;
}

export interface ActivityOptions {
  readonly stores: Pick<Stores, "directory" | "counters">;
  /** Lifetime of a session's steps, in milliseconds. */
  readonly ttlMs: () => number;
  /** Time for which changes are gathered before they are written, in milliseconds: a busy session costs one command each time. 0: every change is written at once. */
  readonly gatherMs: number;
  /** Keeps the platform from ending work that goes on behind its exchange; undefined where nothing ends it. */
  readonly outlive: ((work: Promise<void>) => void) | undefined;
  /** Unix time, seconds. */
  readonly now: () => number;
  /** Runs a background task; its failure is caught and logged. */
  readonly inBackground: (run: () => Promise<void>) => Promise<void>;
}

/** Lifetime of an entry, in milliseconds: sums of a day need it for longer than its steps are kept. */
export const entryLifetime = (sessionTtlMs: number): number => Math.max(sessionTtlMs, DAY_S * 1_000);

/** Sessions whose changes are gathered at most. */
const MAX_GATHERED = 2_000;

/** Told to the store at once: requests have their turn between them. */
const NOTED_TOGETHER = 50;

/** Names of sums that are gathered: some for each tenant, policy and side. */
const MAX_COUNTED = 4_000;
/** Names of tools, which clients choose, in one day. */
const MAX_TOOLS = 500;

export function activity({ stores, ttlMs, gatherMs, outlive, now, inBackground }: ActivityOptions): Activity {
  let changes = new Map<SessionKey, GatheredChange>();
  let counted = new Map<string, number>();
  let waitsUntil = 0;
  let underWay: Promise<void> | undefined;
  let tools = { day: 0, names: new Set<string>() };
  const { directory, counters } = stores;

  /** Sums of clients' own names grow no store without bound. */
  function isCounted(name: string): boolean {
    if (!counted.has(name) && counted.size >= MAX_COUNTED) return false;
    if (!isToolCount(name)) return true;
    const day = Math.floor(now() / DAY_S);
    if (tools.day !== day) tools = { day, names: new Set() };
    if (!tools.names.has(name) && tools.names.size >= MAX_TOOLS) return false;
    tools.names.add(name);
    return true;
  }

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
    const [sessions, sums] = [changes, counted];
    if (sessions.size === 0 && sums.size === 0) return;
    changes = new Map();
    counted = new Map();
    waitsUntil = 0;
    await inBackground(() => addCounts(counters, Object.fromEntries(sums), now()));
    const notes = [...sessions];
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
    note(key, change, counts) {
      const before = changes.get(key);
      if (before !== undefined) gather(before, change);
      // A store that answers late is told of fewer, rather than more and more being kept for it.
      else if (changes.size < MAX_GATHERED)
        changes.set(key, { ...change, set: { ...change.set }, add: { ...change.add } });
      for (const name of Object.keys(counts))
        if (isCounted(name)) counted.set(name, (counted.get(name) ?? 0) + (counts[name] ?? 0));
      if (gatherMs === 0 || changes.size >= MAX_GATHERED) return flush();
      // Whoever was to write may have been ended by its platform.
      if (Date.now() < waitsUntil + gatherMs) return undefined;
      waitsUntil = Date.now() + gatherMs;
      const written = new Promise((resolve) => setTimeout(resolve, gatherMs)).then(flush);
      outlive?.(written);
      return undefined;
    },
    readers: {
      directory: {
        ...directory,
        find: (key) => flush().then(() => directory.find(key)),
        page: (limit, before, filter) => flush().then(() => directory.page(limit, before, filter)),
      },
      counters: { ...counters, read: (key) => flush().then(() => counters.read(key)) },
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

// --- Sums by period: hours for two days, days for two weeks ---

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** Keys of the sums of a period, by its beginning. Unix time, seconds. */
export function periodKey(length: "hour" | "day", at: number): SessionKey {
  const seconds = length === "hour" ? HOUR_S : DAY_S;
  return `activity-${length}-${Math.floor(at / seconds)}` as SessionKey;
}

async function addCounts(counters: Stores["counters"], counts: Totals, at: number): Promise<void> {
  if (Object.keys(counts).length === 0) return;
  await Promise.all([
    counters.add(periodKey("hour", at), counts, 2 * DAY_S * 1_000),
    counters.add(periodKey("day", at), counts, 14 * DAY_S * 1_000),
  ]);
}
