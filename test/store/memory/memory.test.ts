import { describe, expect, it } from "vitest";
import { memoryStore, memoryStores } from "../../../src/store/memory/memory.ts";
import { type SessionKey, sessionKey, type ThreadKey } from "../../../src/store/store.ts";

describe("memoryStore's bounds", () => {
  const key = (index: number) => `session-${index}` as ThreadKey;
  const present = async (store: ReturnType<typeof memoryStore>, indices: readonly number[]) => {
    const found = await Promise.all(indices.map(async (index) => ((await store.read(key(index))) ? [index] : [])));
    return found.flat();
  };

  it("leaves each tenant an even share, whatever another writes", async () => {
    const stores = memoryStores({ maxBytes: 400_000, maxEntries: 50, journalCapacity: 50 });
    const keyOf = (tenant: string, index: number) => `${sessionKey(`s${index}`, tenant)}` as SessionKey;
    const note = { at: 1, set: { name: "n" }, first: {}, add: {} };
    const write = async (tenant: string, index: number, size: number) => {
      const session = keyOf(tenant, index);
      await stores.sessions.write(`${session}.t` as ThreadKey, "x".repeat(size), 0, 60_000);
      await stores.counters.add(session, { steps: 1 }, 60_000);
      await stores.directory.note(session, note, 60_000);
      await stores.journal.append(`${tenant} ${index}`, tenant);
    };
    for (let i = 0; i < 10; i += 1) await write("mine", i, 1_000);
    for (let i = 0; i < 500; i += 1) await write("loud", i, 20_000);
    const mine = Array.from({ length: 10 }, (_, i) => keyOf("mine", i));
    for (const session of mine) {
      expect(await stores.sessions.read(`${session}.t` as ThreadKey)).toBeDefined();
      expect(await stores.counters.read(session)).toEqual({ steps: 1 });
      expect(await stores.directory.find(session)).toBeDefined();
    }
    const told = (await stores.journal.page(100)).map(({ entry }) => entry);
    expect(told.filter((entry) => entry.startsWith("mine"))).toHaveLength(10);
    expect(told).toHaveLength(50);
    expect(told[0]).toBe("loud 499");
    expect(stores.heldBytes?.()).toBeLessThanOrEqual(400_000);
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
