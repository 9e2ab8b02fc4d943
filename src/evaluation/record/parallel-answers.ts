import type { Step } from "../../step.ts";

/** Threads that are remembered; the oldest make room. */
const MAX_THREADS = 1000;

/** Which threads were answered with several calls last, as far as this process knows: some clients keep one of them. */
export interface ParallelAnswers {
  /** Whether the newest step is what a client has kept of several calls. @param total steps of the thread */
  keepsOne(thread: string, total: number, newest: Step | undefined): boolean;
  /** @param total steps of the thread that was answered */
  note(thread: string, total: number, answer: Step): void;
}

export function parallelAnswers(): ParallelAnswers {
  const totals = new Map<string, number>();
  return {
    // Clients that tell each call as a step of its own have kept them all.
    keepsOne: (thread, total, newest) => newest?.calls.length === 1 && totals.get(thread) === total - 1,
    note(thread, total, { calls }) {
      totals.delete(thread);
      if (calls.length < 2) return;
      totals.set(thread, total);
      const [oldest] = totals.keys();
      if (totals.size > MAX_THREADS && oldest !== undefined) totals.delete(oldest);
    },
  };
}
