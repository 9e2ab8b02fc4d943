import type { Directives, SessionKey } from "../store/store.ts";

/** An operator's order that a session has to end. */
export interface Containment {
  readonly actor: string;
  readonly reason: string;
  /** Unix time, milliseconds, like `until`. */
  readonly at: number;
  readonly until: number;
}

/** Containments: the operators' orders for sessions, as far as this process has heard of them. */
export interface Containments {
  /** The first of these sessions' that stands. */
  of(...keys: readonly (SessionKey | undefined)[]): Containment | undefined;
  /** The sessions that are contained now. */
  keys(): readonly SessionKey[];
  /** Calls `end` once if a session is contained from now on. @returns what is to be called when the exchange is over */
  watch(key: SessionKey, end: (containment: Containment) => void): () => void;
  /** Asks the store what has changed. @throws whatever the store throws. */
  refresh(): Promise<void>;
  /** Whether the orders were read too long ago to rely on. Only a process without timers of its own has to ask. */
  isStale(): boolean;
  /** Asks the store where that is so. @throws whatever the store throws. */
  freshen(): Promise<void>;
}

type End = (containment: Containment) => void;

export interface ContainmentsOptions {
  readonly directives: Directives;
  /** Undefined where a timer of the process refreshes; else how old an answer may be, in milliseconds. */
  readonly maxAgeMs: number | undefined;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** A session is to be forgotten. */
  readonly onReset: (key: SessionKey) => void;
}

/** Text of a containment in the store. */
export const containmentText = (containment: Containment): string => JSON.stringify(containment);

const CONTAIN = "contain:";

export const containDirective = (key: SessionKey): string => `${CONTAIN}${key}`;
export const resetDirective = (key: SessionKey): string => `reset:${key}`;

export function containments({ directives, maxAgeMs, clock, onReset }: ContainmentsOptions): Containments {
  let standing: ReadonlyMap<string, Containment> = new Map();
  let resets: ReadonlySet<string> = new Set();
  let revision: string | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  const watchers = new Map<SessionKey, Set<End>>();

  function take(texts: ReadonlyMap<string, string>): void {
    standing = new Map(
      [...texts].flatMap(([name, text]) => (name.startsWith(CONTAIN) ? [[name, JSON.parse(text)] as const] : [])),
    );
    for (const [key, ends] of watchers) {
      const containment = standing.get(containDirective(key));
      if (containment === undefined) continue;
      watchers.delete(key);
      for (const end of ends) end(containment);
    }
    const keys = [...texts].flatMap(([name, text]) => (name.startsWith("reset:") ? [`${name} ${text}`] : []));
    for (const one of keys) if (!resets.has(one)) onReset(one.slice("reset:".length).split(" ")[0] as SessionKey);
    resets = new Set(keys);
  }

  async function refresh(): Promise<void> {
    askedAt = clock();
    const read = await directives.read(revision);
    if (read === undefined) return;
    revision = read.revision;
    take(read.texts);
  }

  function find(...keys: readonly (SessionKey | undefined)[]): Containment | undefined {
    if (standing.size === 0) return undefined;
    for (const key of keys) {
      const containment = key === undefined ? undefined : standing.get(containDirective(key));
      if (containment !== undefined) return containment;
    }
    return undefined;
  }

  function register(key: SessionKey, end: End): () => void {
    const ends = watchers.get(key) ?? new Set();
    watchers.set(key, ends.add(end));
    return () => {
      ends.delete(end);
      if (ends.size === 0 && watchers.get(key) === ends) watchers.delete(key);
    };
  }

  /** Each exchange asks for itself: on Workers none may call back into another. */
  function poll(key: SessionKey, everyMs: number, end: End): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const containment = find(key);
      if (timer === undefined) return;
      if (containment === undefined) timer = setTimeout(ask, everyMs);
      else end(containment);
    };
    const ask = () => void freshen().then(look, look);
    timer = setTimeout(ask, everyMs);
    return () => {
      clearTimeout(timer);
      timer = undefined;
    };
  }

  const isStale = () => maxAgeMs !== undefined && clock() - askedAt >= maxAgeMs;

  async function freshen(): Promise<void> {
    if (isStale()) await refresh();
  }

  return {
    refresh,
    isStale,
    freshen,
    of: find,
    keys: () => [...standing.keys()].map((name) => name.slice(CONTAIN.length) as SessionKey),
    watch: (key, end) => (maxAgeMs === undefined ? register(key, end) : poll(key, maxAgeMs, end)),
  };
}
