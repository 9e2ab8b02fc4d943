import type { OpenCall } from "./history.ts";

/** Calls of a history that wait for their results. */
export interface PendingCalls {
  add(calls: readonly OpenCall[]): void;
  /** The call that a result with this id answers: of the latest turn that has one open, the first. */
  take(id: string | undefined): OpenCall | undefined;
  knows(id: string): boolean;
}

/** Some agents use one id for every call, or the same few in every turn, so an id names a stack of queues. */
export function pendingCalls(): PendingCalls {
  const turns = new Map<string, CallQueue[]>();

  function push(id: string, queue: CallQueue): void {
    const stack = turns.get(id);
    if (stack === undefined) turns.set(id, [queue]);
    else stack.push(queue);
  }

  return {
    add(calls) {
      const [first] = calls;
      if (first !== undefined && calls.length === 1) {
        if (first.id !== undefined) push(first.id, { calls: [first], next: 0 });
        return;
      }
      const turn = new Map<string, CallQueue>();
      for (const call of calls) {
        if (call.id === undefined) continue;
        const queue = turn.get(call.id);
        if (queue === undefined) turn.set(call.id, { calls: [call], next: 0 });
        else queue.calls.push(call);
      }
      for (const [id, queue] of turn) push(id, queue);
    },
    take(id) {
      const stack = id === undefined ? undefined : turns.get(id);
      for (let queue = stack?.at(-1); queue !== undefined; queue = stack?.at(-1)) {
        const call = nextOpen(queue);
        if (call !== undefined) return call;
        stack?.pop();
      }
      return undefined;
    },
    knows: (id) => turns.has(id),
  };
}

/** Calls in order, and how far they are known to be answered: a turn may have any number of them, so each is looked at once. */
interface CallQueue {
  readonly calls: OpenCall[];
  next: number;
}

export function nextOpen(queue: CallQueue): OpenCall | undefined {
  while (queue.calls[queue.next]?.outcome !== undefined) queue.next++;
  return queue.calls[queue.next];
}

/** The calls of one turn, all in order and those of each tool. */
export interface CallQueues {
  readonly all: CallQueue;
  readonly byTool: ReadonlyMap<string, CallQueue>;
}

export function callQueues(calls: OpenCall[]): CallQueues {
  const byTool = new Map<string, CallQueue>();
  for (const call of calls) {
    const queue = byTool.get(call.tool);
    if (queue === undefined) byTool.set(call.tool, { calls: [call], next: 0 });
    else queue.calls.push(call);
  }
  return { all: { calls, next: 0 }, byTool };
}
