import { keepNewest } from "../../activity/activity.ts";

/** A question under way; given back when it is over. */
export interface JudgeSlot {
  over(): void;
}

/**
 * Questions to a judge, some at a time. Where there are more, the thread that was judged longest ago comes first, so that each
 * has its turn; and of one thread the newest question alone waits.
 */
export interface JudgeQueue {
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
