import type { DirectoryChange, SessionKey, Stores, Totals } from "../store/store.ts";

export { type Count, countName, readCountName } from "./counts.ts";
export {
  type Containment,
  type Containments,
  containDirective,
  containmentText,
  containments,
  resetDirective,
} from "./containments.ts";
export { type LoopEntry, loopText, readLoop } from "./loop-entry.ts";

/** What sessions have been doing, on its way to the directory and to the sums that operators read. */
export interface Activity {
  /** Resolves when it is kept, or at once where it is gathered first. */
  note(key: SessionKey, change: DirectoryChange, counts: Totals): Promise<void>;
  flush(): Promise<void>;
}

export interface ActivityOptions {
  readonly stores: Pick<Stores, "directory" | "counters">;
  readonly ttlMs: number;
  /** How long changes are gathered, so that a busy session costs the store a command now and then; 0: not at all. */
  readonly gatherMs: number;
  /** Unix time, seconds. */
  readonly now: () => number;
  /** Runs a background task; its failure is caught and logged. */
  readonly quietly: (run: () => Promise<void>) => Promise<void>;
}

/** Sessions whose changes are gathered at most. */
const MAX_GATHERED = 2_000;

/** Names of sums in one period: tools are named by clients. */
const MAX_COUNTED = 500;

export function activity({ stores, ttlMs, gatherMs, now, quietly }: ActivityOptions): Activity {
  let changes = new Map<SessionKey, DirectoryChange>();
  let counted = new Map<string, number>();
  let isWaiting = false;

  async function flush(): Promise<void> {
    const [sessions, sums] = [changes, counted];
    changes = new Map();
    counted = new Map();
    isWaiting = false;
    await quietly(async () => {
      await Promise.all([...sessions].map(([key, change]) => stores.directory.note(key, change, ttlMs)));
      await addCounts(stores.counters, Object.fromEntries(sums), now());
    });
  }

  return {
    flush,
    async note(key, change, counts) {
      changes.set(key, together(changes.get(key), change));
      for (const [name, amount] of Object.entries(counts))
        if (counted.has(name) || counted.size < MAX_COUNTED) counted.set(name, (counted.get(name) ?? 0) + amount);
      if (gatherMs === 0 || changes.size >= MAX_GATHERED) return flush();
      if (!isWaiting) setTimeout(() => void flush(), gatherMs);
      isWaiting = true;
    },
  };
}

function together(before: DirectoryChange | undefined, after: DirectoryChange): DirectoryChange {
  if (before === undefined) return after;
  const add: Record<string, number> = { ...before.add };
  for (const [name, amount] of Object.entries(after.add)) add[name] = (add[name] ?? 0) + amount;
  return { at: after.at, set: { ...before.set, ...after.set }, first: before.first, add };
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
