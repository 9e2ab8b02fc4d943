import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/store/memory/memory.ts";
import type { ThreadKey } from "../../../src/store/store.ts";
import { storeContract } from "../../contracts/store.ts";

function clock(): { now: () => number; advance: (ms: number) => Promise<void> } {
  let time = 1_000;
  return {
    now: () => time,
    async advance(ms) {
      time += ms;
    },
  };
}

storeContract("memoryStore", async () => {
  const { now, advance } = clock();
  return { store: memoryStore({ now }), advance };
});

describe("memoryStore's bounds", () => {
  const key = (index: number) => `session-${index}` as ThreadKey;
  const present = async (store: ReturnType<typeof memoryStore>, indices: readonly number[]) => {
    const found = await Promise.all(indices.map(async (index) => ((await store.read(key(index))) ? [index] : [])));
    return found.flat();
  };

  it("keeps 10,000 of 100,000 sessions: those used last", async () => {
    const store = memoryStore({ maxEntries: 10_000 });
    for (let i = 0; i < 100_000; i += 1) await store.write(key(i), "{}", 0, 60_000);
    const all = Array.from({ length: 100_000 }, (_, i) => i);
    expect(await present(store, all)).toEqual(all.slice(90_000));
  });

  it.each([
    { name: "beyond the cap", maxEntries: 1_000, ttlMs: 60_000 },
    { name: "that have expired, far below the cap", maxEntries: 1_000_000, ttlMs: 100 },
  ])("holds no memory for sessions $name", async ({ maxEntries, ttlMs }) => {
    const { now, advance } = clock();
    const store = memoryStore({ maxEntries, now });
    const fill = async (from: number, to: number) => {
      for (let i = from; i < to; i += 1) {
        await store.write(key(i), JSON.stringify({ text: String(i).padEnd(2_000, "x") }), 0, ttlMs);
        await advance(1);
      }
      return process.memoryUsage().heapUsed;
    };
    const before = await fill(0, 10_000);
    const after = await fill(10_000, 100_000);
    // Kept in full they would take some 200 MB more; what the collector has not come round to is far less.
    expect(after - before).toBeLessThan(80 * 1024 * 1024);
  });

  it("keeps a session that is read, and lets go of one that is not", async () => {
    const store = memoryStore({ maxEntries: 2 });
    await store.write(key(1), "{}", 0, 60_000);
    await store.write(key(2), "{}", 0, 60_000);
    await store.read(key(1));
    await store.write(key(3), "{}", 0, 60_000);
    expect(await present(store, [1, 2, 3])).toEqual([1, 3]);
  });
});
