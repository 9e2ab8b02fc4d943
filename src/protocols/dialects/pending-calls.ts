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
  const turns = new Map<string, OpenCall[][]>();
  return {
    add(calls) {
      const turn = new Map<string, OpenCall[]>();
      for (const call of calls) {
        if (call.id === undefined) continue;
        const queue = turn.get(call.id);
        if (queue === undefined) turn.set(call.id, [call]);
        else queue.push(call);
      }
      for (const [id, queue] of turn) {
        const stack = turns.get(id);
        if (stack === undefined) turns.set(id, [queue]);
        else stack.push(queue);
      }
    },
    take(id) {
      const stack = id === undefined ? undefined : turns.get(id);
      for (let queue = stack?.at(-1); queue !== undefined; queue = stack?.at(-1)) {
        const call = queue.shift();
        if (call === undefined) stack?.pop();
        else if (call.outcome === undefined) return call;
      }
      return undefined;
    },
    knows: (id) => turns.has(id),
  };
}
