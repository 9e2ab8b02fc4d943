import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { SessionStore, ThreadKey } from "../../src/store/store.ts";

const TTL_MS = 60_000;

/** What a session store promises that knows marks. Others leave them aside. */
export function successionContract(name: string, makeStore: () => Promise<SessionStore>): void {
  describe(`marks in ${name}`, () => {
    let store: SessionStore;
    afterEach(() => store.close());
    /** A record of version 2 with a mark. */
    const marked = async (): Promise<ThreadKey> => {
      store = await makeStore();
      const key = `${randomUUID()}.main` as ThreadKey;
      await store.write(key, "first", 0, TTL_MS);
      await store.write(key, "second", 1, TTL_MS, { mark: "at 2", over: [] });
      return key;
    };

    it.each([
      { what: "with one of the marks", over: ["at 1", "at 2"], isWritten: true },
      { what: "with another mark", over: ["at 1", "at 20", "at"], isWritten: false },
      { what: "where there are no marks to give way to", over: [], isWritten: false },
    ])("a record $what gives way, whatever its version: $isWritten", async ({ over, isWritten }) => {
      const key = await marked();
      expect(await store.write(key, "third", -1, TTL_MS, { mark: "at 3", over })).toBe(isWritten);
      expect(await store.read(key)).toEqual(isWritten ? { json: "third", version: 3 } : { json: "second", version: 2 });
    });

    it("a record gives way by its version as if it had no mark", async () => {
      const key = await marked();
      expect(await store.write(key, "third", 2, TTL_MS, { mark: "at 3", over: ["at 1"] })).toBe(true);
      expect(await store.write(key, "fourth", -1, TTL_MS, { mark: "at 4", over: ["at 3"] })).toBe(true);
    });

    it("a mark is gone with the next write that brings none", async () => {
      const key = await marked();
      await store.write(key, "third", 2, TTL_MS);
      for (const mark of ["at 2", "", "undefined"])
        expect(await store.write(key, "fourth", -1, TTL_MS, { mark: "at 4", over: [mark] })).toBe(false);
    });

    it("what was never written, or removed, gives way to no mark", async () => {
      const key = await marked();
      await store.remove(key);
      expect(await store.write(key, "third", -1, TTL_MS, { mark: "at 3", over: ["at 2", ""] })).toBe(false);
    });

    it("one of two writers that would take a mark's place takes it", async () => {
      const key = await marked();
      const over = { mark: "at 3", over: ["at 2"] };
      const won = await Promise.all(["a", "b"].map((json) => store.write(key, json, -1, TTL_MS, over)));
      expect(won.filter(Boolean)).toHaveLength(1);
    });
  });
}
