/** Gives the slot back. */
type Slot = () => void;

/** Threads that wait at most; the process holds their requests' texts meanwhile. */
const MAX_WAITING = 1_000;

/**
 * Questions to a judge, some at a time and one of a thread. Where there are more, who has waited longest comes first, and of one
 * thread the newest question alone waits, in the place of the one before it: so each thread has its turn.
 */
export function judgeQueue(most: number) {
  const running = new Set<string>();
  const waiting = new Map<string, (slot: Slot | undefined) => void>();

  function slotOf(thread: string): Slot {
    running.add(thread);
    return () => {
      running.delete(thread);
      const next = [...waiting.keys()].find((one) => !running.has(one));
      if (next !== undefined) settle(next, slotOf(next));
    };
  }

  function settle(thread: string, slot: Slot | undefined): void {
    const give = waiting.get(thread);
    waiting.delete(thread);
    give?.(slot);
  }

  return {
    /** Undefined where there is none in that time, or a newer question of the thread has come. */
    async begin(thread: string, patienceMs: number): Promise<Slot | undefined> {
      if (!running.has(thread) && running.size < most && !waiting.has(thread)) return slotOf(thread);
      if (waiting.size >= MAX_WAITING && !waiting.has(thread)) return undefined;
      return new Promise((resolve) => {
        const timer = setTimeout(() => waiting.get(thread) === give && settle(thread, undefined), patienceMs);
        const give = (slot: Slot | undefined) => {
          clearTimeout(timer);
          resolve(slot);
        };
        waiting.get(thread)?.(undefined);
        waiting.set(thread, give);
      });
    },
  };
}
