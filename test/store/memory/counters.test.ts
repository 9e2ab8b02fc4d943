import { describe, expect, it } from "vitest";
import { memoryCounters } from "../../../src/store/memory/memory.ts";
import type { SessionKey } from "../../../src/store/store.ts";
import { countersContract } from "../../contracts/counters.ts";

countersContract("memoryCounters", async () => {
  let time = 1_000;
  return {
    counters: memoryCounters({ now: () => time }),
    async advance(ms) {
      time += ms;
    },
    async close() {},
  };
});

describe("memoryCounters' bounds", () => {
  it("let go of the sessions that were counted longest ago", async () => {
    const counters = memoryCounters({ maxEntries: 2 });
    const key = (index: number) => `session-${index}` as SessionKey;
    for (const index of [1, 2, 1, 3]) await counters.add(key(index), { steps: 1 }, 60_000);
    expect(await Promise.all([1, 2, 3].map((index) => counters.read(key(index))))).toEqual([
      { steps: 2 },
      {},
      { steps: 1 },
    ]);
  });
});
