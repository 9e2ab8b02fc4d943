import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { judgeQueue } from "../../src/judge/queue.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("sixteen sessions at once are each judged at least every other step by a judge that takes a third of a second", async () => {
  const slots = judgeQueue(8);
  const judged = new Map<string, number>();
  const ask = async (name: string) => {
    const slot = await slots.begin(name, 30_000);
    if (slot === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 333));
    judged.set(name, (judged.get(name) ?? 0) + 1);
    slot();
  };
  for (let step = 0; step < 20; step++) {
    for (let session = 0; session < 16; session++) void ask(`session ${session}`);
    await vi.advanceTimersByTimeAsync(400);
  }
  expect(judged.size).toBe(16);
  expect(Math.min(...judged.values())).toBeGreaterThanOrEqual(10);
});

it("a newer question of a thread takes the place of the one that waits, and none waits longer than it is given", async () => {
  const slots = judgeQueue(1);
  const first = await slots.begin("a", 1_000);
  const [second, third, other] = [slots.begin("a", 1_000), slots.begin("a", 1_000), slots.begin("b", 50)];
  await vi.advanceTimersByTimeAsync(50);
  expect([await second, await other]).toEqual([undefined, undefined]);
  first?.();
  expect(await third).toBeDefined();
});
