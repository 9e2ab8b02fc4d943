import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { judgeQueue } from "../../src/judge/queue.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Sessions that each ask at every step, of a judge that takes its time with eight at once. */
async function played({
  sessions,
  steps,
  stepMs,
  judgeMs,
}: Record<"sessions" | "steps" | "stepMs" | "judgeMs", number>) {
  const rooms = judgeQueue(8);
  const judged = new Map<string, number>();
  let skipped = 0;
  const ask = async (name: string) => {
    const room = await rooms.begin(name, 30_000);
    if (room === undefined) skipped += 1;
    else {
      await new Promise((resolve) => setTimeout(resolve, judgeMs));
      judged.set(name, (judged.get(name) ?? 0) + 1);
      room();
    }
  };
  for (let step = 0; step < steps; step++) {
    for (let session = 0; session < sessions; session++) void ask(`session ${session}`);
    await vi.advanceTimersByTimeAsync(stepMs);
  }
  await vi.advanceTimersByTimeAsync(60_000);
  return { counts: [...judged.values()], sessions: judged.size, skipped };
}

it("sixteen sessions at once are each judged at least every other step by a judge that takes a third of a second", async () => {
  const { counts } = await played({ sessions: 16, steps: 20, stepMs: 400, judgeMs: 333 });
  expect(counts).toHaveLength(16);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(10);
});

it("a newer question of the same thread takes the place of the one that waits", async () => {
  const rooms = judgeQueue(1);
  const first = await rooms.begin("a", 1_000);
  const second = rooms.begin("a", 1_000);
  const third = rooms.begin("a", 1_000);
  first?.();
  expect([await second, (await third) !== undefined]).toEqual([undefined, true]);
});

it("waits no longer than it is given", async () => {
  const rooms = judgeQueue(1);
  await rooms.begin("a", 1_000);
  const late = rooms.begin("b", 50);
  await vi.advanceTimersByTimeAsync(50);
  expect(await late).toBeUndefined();
});
