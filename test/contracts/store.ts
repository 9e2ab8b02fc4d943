import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { MAX_TEXT_LENGTH } from "../../src/store/records.ts";
import type { SessionStore, ThreadKey } from "../../src/store/store.ts";

export interface StoreUnderTest {
  readonly store: SessionStore;
  /** Lets time pass for the store: a given clock moves, or what is kept grows older. */
  advance(ms: number): Promise<void>;
}

const TTL_MS = 10_000;

/** What every session store promises. Makes its own keys, so a shared database need not be empty. */
export function storeContract(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let store: SessionStore;
    let advance: StoreUnderTest["advance"];
    const test = (sentence: string, run: () => Promise<void>) =>
      it(sentence, async () => {
        ({ store, advance } = await makeStore());
        await run();
      });
    afterEach(() => store.close());

    test("knows nothing of a key that was never written", async () => {
      expect(await store.read(newKey())).toBeUndefined();
    });

    test("gives back what was written, with a version that grows by one", async () => {
      const key = newKey();
      expect(await store.write(key, '{"a":1}', 0, TTL_MS)).toBe(true);
      expect(await store.read(key)).toEqual({ json: '{"a":1}', version: 1 });
      expect(await store.write(key, '{"a":2}', 1, TTL_MS)).toBe(true);
      expect(await store.read(key)).toEqual({ json: '{"a":2}', version: 2 });
    });

    test("refuses a writer whose version is not the stored one, and changes nothing", async () => {
      const key = newKey();
      expect(await store.write(key, "early", 3, TTL_MS)).toBe(false);
      expect(await store.read(key)).toBeUndefined();
      await store.write(key, "first", 0, TTL_MS);
      await store.write(key, "second", 1, TTL_MS);
      for (const version of [0, 1, 3]) expect(await store.write(key, "stale", version, TTL_MS)).toBe(false);
      expect(await store.read(key)).toEqual({ json: "second", version: 2 });
    });

    test("lets exactly one of many concurrent writers win each round", async () => {
      const key = newKey();
      for (let round = 0; round < 10; round += 1) {
        const writers = Array.from({ length: 20 }, (_, writer) =>
          store.write(key, `${round}:${writer}`, round, TTL_MS),
        );
        const won = await Promise.all(writers);
        expect(won.filter(Boolean)).toHaveLength(1);
        expect(await store.read(key)).toEqual({ json: `${round}:${won.indexOf(true)}`, version: round + 1 });
      }
    });

    test("takes a longer plain record in place of a shorter one of its root, from who has not read it", async () => {
      const key = newKey();
      await store.write(key, "two", undefined, TTL_MS, { root: "1 0 a/+b=", length: 2 });
      expect(await store.write(key, "ten", undefined, TTL_MS, { root: "1 0 a/+b=", length: 10 })).toBe(true);
      expect(await store.write(key, "nine", undefined, TTL_MS, { root: "1 0 a/+b=", length: 9 })).toBe(false);
      expect(await store.read(key)).toEqual({ json: "ten", version: 2 });
    });

    test("takes any plain record in place of an empty one, from who has not read it", async () => {
      const key = newKey();
      await store.write(key, "none", 0, TTL_MS, { root: "", length: 0 });
      expect(await store.write(key, "not plain", undefined, TTL_MS)).toBe(false);
      expect(await store.write(key, "one", undefined, TTL_MS, { root: "a", length: 1 })).toBe(true);
    });

    for (const [what, before, after] of [
      ["one of equal length", { root: "a", length: 3 }, { root: "a", length: 3 }],
      ["one of another root", { root: "a", length: 3 }, { root: "ab", length: 4 }],
      ["one that is not plain", { root: "a", length: 3 }, undefined],
      ["a plain one in place of one that is not", undefined, { root: "a", length: 4 }],
    ] as const)
      test(`takes by its version alone ${what}`, async () => {
        const key = newKey();
        await store.write(key, "before", 0, TTL_MS, before);
        for (const version of [undefined, 0, 2])
          expect(await store.write(key, "after", version, TTL_MS, after)).toBe(false);
        expect(await store.write(key, "after", 1, TTL_MS, after)).toBe(true);
        const root = after?.root ?? "a";
        expect(await store.write(key, "longer", undefined, TTL_MS, { root, length: 9 })).toBe(after !== undefined);
      });

    test("forgets what has expired, and begins again with version 0", async () => {
      const key = newKey();
      await store.write(key, "old", 0, TTL_MS);
      await advance(TTL_MS + 100);
      expect(await store.read(key)).toBeUndefined();
      expect(await store.write(key, "stale", 1, TTL_MS)).toBe(false);
      expect(await store.write(key, "new", 0, TTL_MS)).toBe(true);
      expect(await store.read(key)).toEqual({ json: "new", version: 1 });
    });

    test("counts the expiry from the last write", async () => {
      const key = newKey();
      await store.write(key, "1", 0, TTL_MS);
      await advance(TTL_MS * 0.6);
      await store.write(key, "2", 1, TTL_MS);
      await advance(TTL_MS * 0.6);
      expect(await store.read(key)).toEqual({ json: "2", version: 2 });
      await advance(TTL_MS);
      expect(await store.read(key)).toBeUndefined();
    });

    test("removes a key, and is content if there is none", async () => {
      const key = newKey();
      await store.write(key, "1", 0, TTL_MS);
      await store.remove(key);
      expect(await store.read(key)).toBeUndefined();
      await store.remove(key);
      expect(await store.write(key, "again", 0, TTL_MS)).toBe(true);
    });

    test("keeps keys apart, however alike", async () => {
      const key = newKey();
      const keys = [key, `${key}:`, `${key}*`, `{${key}}`, `${key} `, key.toUpperCase()].map(keyOf);
      for (const [i, one] of keys.entries()) await store.write(one, String(i), 0, TTL_MS);
      await store.remove(key);
      const values = await Promise.all(keys.map(async (one) => (await store.read(one))?.json));
      expect(values).toEqual([undefined, "1", "2", "3", "4", "5"]);
    });

    test("keeps big and odd texts as they are", async () => {
      for (const json of ["", "\u0000\u2028\n\"'\\", "ループ🙂", "x".repeat(MAX_TEXT_LENGTH)]) {
        const key = newKey();
        await store.write(key, json, 0, 60_000);
        expect((await store.read(key))?.json === json).toBe(true);
      }
    });

    test("may be closed more than once", async () => {
      await store.close();
      await expect(store.close()).resolves.toBeUndefined();
    });
  });
}

function newKey(): ThreadKey {
  return keyOf(`${randomUUID()}.${randomUUID()}`);
}

function keyOf(text: string): ThreadKey {
  return text as ThreadKey;
}
