import { placeOnLadder, type Policy } from "../policy/policy.ts";
import { amount, anyText, list, nullable, object, readRecord, type ValueOf } from "../shapes/shapes.ts";
import type { Intervention } from "../session/session.ts";
import type { DirectoryChange, SessionKey, Stores, ThreadKey } from "../store/store.ts";
import { BoundedMap } from "../text/bounded-map.ts";

export { type Containment, type Containments, containments, resetDirective } from "./containments.ts";

/** States of a run, the most pressing first. In observe mode nothing is ever `warned`, `forced`, `ended` or `cut`. */
export const runStates = [
  ...(["looping", "ended", "forced", "cut", "failing", "warned", "contained", "recovered", "running", "idle"] as const),
  "done",
] as const;
export type RunState = (typeof runStates)[number];

/** States of a run that may still go on; without a request for ten minutes it is idle. */
const OPEN: readonly RunState[] = ["looping", "failing", "warned", "recovered", "running"];
const IDLE_AFTER_MS = 10 * 60_000;

/** A state, and when it began, as far as that is known; Unix time, milliseconds. */
export interface StateAt {
  readonly state: RunState;
  readonly at: number;
}

/** Text of a thread's state in the directory. @param at when it was seen @param since when it began */
export const stateText = (state: RunState, at: number, since = at): string =>
  since === at ? `${state} ${at}` : `${state} ${at} ${since}`;

/** State of a session: the most pressing of its threads that were in use until shortly before it was. */
export function stateOfThreads(texts: readonly string[], lastAt: number, now: number): StateAt {
  const states = texts.flatMap(readState).filter(({ seenAt }) => lastAt - seenAt < IDLE_AFTER_MS);
  const worst = states.sort((a, b) => runStates.indexOf(a.state) - runStates.indexOf(b.state))[0];
  const { state, at } = worst ?? { state: "running" as const, at: lastAt };
  return OPEN.includes(state) && now - lastAt >= IDLE_AFTER_MS ? { state: "idle", at: lastAt } : { state, at };
}

function readState(text: string): readonly (StateAt & { readonly seenAt: number })[] {
  const [name, at, since = at] = text.split(" ");
  const state = runStates.find((one) => one === name);
  return state === undefined ? [] : [{ state, at: Number(since), seenAt: Number(at) }];
}

const rungAt = object({ rung: anyText, at: amount });

const loopShape = object({
  ...{ detector: anyText, tools: list(anyText), grade: nullable(anyText), rung: anyText, count: amount },
  ...{ due: nullable(rungAt), next: nullable(rungAt), step: amount, thread: anyText, note: anyText },
});

/** The newest loop of a session, as its directory entry has it; a filter looks for detector and tools, which come first. An answer that was cut off is a loop, too. */
export type LoopEntry = ValueOf<typeof loopShape>;

export function loopEntry(intervention: Intervention, thread: string, policy: Policy): LoopEntry {
  const { detector, grade = null, rung, count, at: step, tools = [], note } = intervention;
  const finding = { detector, tools, count, ...(grade !== null && { grade }) };
  return { detector, tools, grade, rung, count, ...placeOnLadder(policy, finding, rung), step, thread, note };
}

/** An event or a loop as it is stored. */
export const recordText = (record: object): string => JSON.stringify(record);

export const readLoop = (text: string | undefined): LoopEntry | undefined => readRecord(loopShape, text);

export type Activity = ReturnType<typeof activity>;

export interface ActivityOptions {
  readonly directory: Stores["directory"];
  readonly ttlMs: () => number;
  /** Time for which changes are gathered before they are written, in milliseconds: a busy session costs one command each time. 0: every change is written at once. */
  readonly gatherMs: number;
  /** Keeps the platform from ending work that goes on behind its exchange; undefined where nothing ends it. */
  readonly outlive: ((work: Promise<void>) => void) | undefined;
  readonly inBackground: (run: () => Promise<void>) => Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Lifetime of an entry, in milliseconds: sums of a day need it for longer than its steps are kept. */
export const entryLifetime = (sessionTtlMs: number): number => Math.max(sessionTtlMs, DAY_MS);

const MAX_GATHERED = 2_000;

/** Told to the store at once: requests have their turn between them. */
const NOTED_TOGETHER = 50;

export function activity({ directory, ttlMs, gatherMs, outlive, inBackground }: ActivityOptions) {
  let changes = new Map<SessionKey, DirectoryChange>();
  let waitsUntil = 0;
  let underWay = Promise.resolve();

  function flush(): Promise<void> {
    // Where exchanges have to outlive themselves, they must not wait for each other's promises either.
    if (gatherMs === 0 || outlive !== undefined) return tell();
    underWay = underWay.then(tell);
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
    const lifetime = entryLifetime(ttlMs());
    const noted = await Promise.allSettled(notes.map(([key, change]) => directory.note(key, change, lifetime)));
    const refused = noted.find((one) => one.status === "rejected");
    if (refused !== undefined) throw refused.reason;
  }

  return {
    flush,
    steps: stepTimes(),
    states: stateTimes(),
    /** Resolves when it is kept; undefined where it is gathered first. */
    note(key: SessionKey, change: DirectoryChange): Promise<void> | undefined {
      const before = changes.get(key);
      if (before !== undefined) changes.set(key, gathered(before, change));
      // A store that answers late is told of fewer, rather than more and more being kept for it.
      else if (changes.size < MAX_GATHERED) changes.set(key, change);
      if (gatherMs === 0 || changes.size >= MAX_GATHERED) return flush();
      // Whoever was to write may have been ended by its platform.
      if (Date.now() < waitsUntil + gatherMs) return undefined;
      waitsUntil = Date.now() + gatherMs;
      const written = new Promise((resolve) => setTimeout(resolve, gatherMs)).then(flush);
      outlive?.(written);
      return undefined;
    },
    /** The directory as operators read it: with what is gathered here. */
    directory: {
      ...directory,
      find: (key: SessionKey) => flush().then(() => directory.find(key)),
      page: (limit: number, before?: string) => flush().then(() => directory.page(limit, before)),
    },
  };
}

function gathered(before: DirectoryChange, { at, set, add }: DirectoryChange): DirectoryChange {
  const sums = Object.entries(add).map(([name, amount]) => [name, (before.add[name] ?? 0) + amount]);
  return { ...before, at, set: { ...before.set, ...set }, add: { ...before.add, ...Object.fromEntries(sums) } };
}

const MAX_STATES = 10_000;

/** Beginnings of states, as far as this process has seen them: an entry is written without being read. */
export function stateTimes() {
  const known = new BoundedMap<ThreadKey, { readonly state: RunState; readonly since: number }>(MAX_STATES);
  return {
    /** When a thread that is in a state now came into it; Unix time, milliseconds. @param at now */
    since(thread: ThreadKey, state: RunState, at: number): number {
      const before = known.get(thread);
      const since = before?.state === state ? before.since : at;
      known.set(thread, { state, since });
      return since;
    },
  };
}

/** When the answer with a step was over, and what its exchange used; or how often the upstream failed in its place. */
export interface StepTime {
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

/** As many steps as a window has, of as many threads as an operator may come to look at. */
const MAX_STEPS = 64;
const MAX_TIMED = 1_000;

/** Times of the newest steps, as far as this process has relayed them: fingerprints know none. */
function stepTimes() {
  const times = new BoundedMap<ThreadKey, StepTime[]>(MAX_TIMED);
  return {
    note(thread: ThreadKey, time: Omit<StepTime, "times">): void {
      const own = times.get(thread) ?? [];
      times.set(thread, own);
      const last = own.at(-1);
      const isAgain = last?.step === time.step && last.failure === time.failure;
      if (isAgain) own.pop();
      own.push({ ...time, times: isAgain ? last.times + 1 : 1 });
      if (own.length > MAX_STEPS) own.shift();
    },
    of: (thread: ThreadKey): readonly StepTime[] => times.get(thread) ?? [],
  };
}
