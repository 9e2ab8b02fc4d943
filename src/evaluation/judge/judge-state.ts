import { keepNewest } from "../../activity/activity.ts";
import type { Opinion } from "../../policy/policy.ts";
import type { ThreadKey } from "../../store/store.ts";
import type { Observed } from "../outcome.ts";

/** Where a judge is asked: any endpoint that understands chat completions. */
export interface JudgeEndpoint {
  readonly upstream: URL;
  readonly key: string | undefined;
  readonly model: string;
  /** For one question; there is no second try. */
  readonly timeoutMs: number;
}

/** Sends one question to a judge; undefined where it came to no answer. */
export type AskJudge = (question: string, endpoint: JudgeEndpoint) => Promise<Observed | undefined>;

/** The newest of what was put in. */
interface Recent<Key, Value> {
  get(key: Key): Value | undefined;
  put(key: Key, value: Value): void;
}

/** What this process knows of its judge. */
export interface JudgeState {
  /** Undefined where there is no judge. */
  readonly endpoint: JudgeEndpoint | undefined;
  readonly ask: AskJudge;
  /** Queue for questions, fair between threads. */
  readonly queue: JudgeQueue;
  /** Whether the endpoint takes a schema for its answer, as far as is known. */
  isStructured(): boolean;
  refusedSchema(): void;
  /** What a judge has said of a thread's loop; the newest alone. */
  readonly opinions: Recent<ThreadKey, Opinion>;
  /** Index of a thread's newest step that a judge was asked about. */
  readonly askedAt: Recent<ThreadKey, number>;
  /** What a judge has said, by its signature: it lives here alone. */
  readonly texts: Recent<string, string>;
}

/** Questions under way at a time, by this process. */
const MAX_CONCURRENT = 8;
/** Of each kind; a text has a few hundred characters. */
const MAX_REMEMBERED = 5_000;

export function judgeState(endpoint: JudgeEndpoint | undefined, ask: AskJudge): JudgeState {
  let structured = true;
  return {
    endpoint,
    ask,
    queue: judgeQueue(MAX_CONCURRENT),
    isStructured: () => structured,
    refusedSchema() {
      structured = false;
    },
    opinions: recent(),
    askedAt: recent(),
    texts: recent(),
  };
}

function recent<Key, Value>(): Recent<Key, Value> {
  const map = new Map<Key, Value>();
  return { get: (key) => map.get(key), put: (key, value) => keepNewest(map, key, value, MAX_REMEMBERED) };
}

/** A question under way; given back when it is over. */
interface JudgeSlot {
  over(): void;
}

/**
 * Questions to a judge, some at a time. Where there are more, the thread that was judged longest ago comes first, so that each
 * has its turn; and of one thread the newest question alone waits.
 */
interface JudgeQueue {
  /** Undefined where there is none in that time, or a newer question of the thread has come. */
  begin(thread: string, patienceMs: number): Promise<JudgeSlot | undefined>;
}

interface Waiting {
  readonly give: (slot: JudgeSlot | undefined) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Threads that wait at most; the process holds their requests' texts meanwhile. */
const MAX_WAITING = 1_000;
/** Threads of which it is remembered when they were judged. */
const MAX_KNOWN = 10_000;

export function judgeQueue(most: number): JudgeQueue {
  const running = new Set<string>();
  const waiting = new Map<string, Waiting>();
  const turns = new Map<string, number>();
  let turn = 0;

  const slot = (thread: string): JudgeSlot => {
    running.add(thread);
    keepNewest(turns, thread, ++turn, MAX_KNOWN);
    return {
      over() {
        if (running.delete(thread)) next();
      },
    };
  };

  const settle = (thread: string, given: JudgeSlot | undefined): void => {
    const one = waiting.get(thread);
    if (one === undefined) return;
    clearTimeout(one.timer);
    waiting.delete(thread);
    one.give(given);
  };

  const next = (): void => {
    let first: string | undefined;
    for (const thread of waiting.keys()) {
      if (running.has(thread)) continue;
      if (first === undefined || (turns.get(thread) ?? 0) < (turns.get(first) ?? 0)) first = thread;
    }
    if (first !== undefined && running.size < most) settle(first, slot(first));
  };

  return {
    async begin(thread, patienceMs) {
      settle(thread, undefined);
      if (!running.has(thread) && running.size < most) return slot(thread);
      if (most === 0 || waiting.size >= MAX_WAITING) return undefined;
      return new Promise((give) => {
        const timer = setTimeout(() => settle(thread, undefined), patienceMs);
        waiting.set(thread, { give, timer });
      });
    },
  };
}
