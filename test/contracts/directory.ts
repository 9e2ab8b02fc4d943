import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { Directory, DirectoryChange, SessionKey } from "../../src/store/store.ts";

export interface DirectoryUnderTest {
  /** Empty. */
  readonly directory: Directory;
  /** Lets time pass for all that is kept. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

const TTL_MS = 60_000;

/** What every directory promises. */
export function directoryContract(name: string, make: () => Promise<DirectoryUnderTest>): void {
  describe(name, () => {
    let made: DirectoryUnderTest;
    const test = (
      sentence: string,
      run: (directory: Directory, advance: DirectoryUnderTest["advance"]) => Promise<void>,
    ) =>
      it(sentence, async () => {
        made = await make();
        await run(made.directory, (ms) => made.advance(ms));
      });
    afterEach(() => made.close());

    test("has nothing to list at first", async (directory) => {
      expect(await directory.page(10)).toEqual({ entries: [], next: undefined });
      expect(await directory.find(newKey())).toBeUndefined();
    });

    test("merges changes: fields are replaced, first fields stay, sums add up", async (directory) => {
      const key = newKey();
      await directory.note(
        key,
        change({ at: 5, set: { model: "a" }, first: { begun: "5" }, add: { steps: 1 } }),
        TTL_MS,
      );
      await directory.note(
        key,
        change({ at: 9, set: { rung: "nudge" }, first: { begun: "9" }, add: { steps: 2, tokens: 7 } }),
        TTL_MS,
      );
      await directory.note(key, change({ at: 8, set: { model: "b" } }), TTL_MS);
      const entry = { key, at: 9, fields: { model: "b", rung: "nudge", begun: "5" }, sums: { steps: 3, tokens: 7 } };
      expect(await directory.find(key)).toEqual(entry);
      expect((await directory.page(10)).entries).toEqual([entry]);
    });

    test("has no field that was set to nothing", async (directory) => {
      const key = newKey();
      await directory.note(key, change({ at: 1, set: { rule: "", arm: "held-out", model: "a" } }), TTL_MS);
      await directory.note(key, change({ at: 2, set: { arm: "", model: "b" } }), TTL_MS);
      expect((await directory.find(key))?.fields).toEqual({ model: "b" });
    });

    test("lists the newest first, and each entry once, however many were in use at one time", async (directory) => {
      const keys = Array.from({ length: 25 }, newKey);
      for (const [i, key] of keys.entries())
        await directory.note(key, change({ at: 1_000 + Math.floor(i / 10) }), TTL_MS);
      const listed: { key: string; at: number }[] = [];
      let next: string | undefined;
      let pages = 0;
      do {
        const page = await directory.page(4, next);
        expect(page.entries.length).toBeLessThanOrEqual(4);
        listed.push(...page.entries);
        next = page.next;
        pages += 1;
      } while (next !== undefined && pages < 20);
      expect(pages).toBe(7);
      expect(listed.map(({ key }) => key).sort()).toEqual([...keys].sort());
      expect(listed.map(({ at }) => at)).toEqual([...listed.map(({ at }) => at)].sort((a, b) => b - a));
    });

    test("forgets what is not used any more", async (directory, advance) => {
      const [old, young] = [newKey(), newKey()];
      await directory.note(old, change({ at: 1 }), TTL_MS);
      await advance(TTL_MS * 0.6);
      await directory.note(young, change({ at: 2 }), TTL_MS);
      await advance(TTL_MS * 0.6);
      expect((await directory.page(10)).entries.map(({ key }) => key)).toEqual([young]);
      expect(await directory.find(old)).toBeUndefined();
    });

    test("removes an entry, and is content if there is none", async (directory) => {
      const key = newKey();
      await directory.note(key, change({ at: 1, add: { steps: 4 } }), TTL_MS);
      await directory.remove(key);
      await directory.remove(key);
      expect((await directory.page(10)).entries).toEqual([]);
      await directory.note(key, change({ at: 2, add: { steps: 1 } }), TTL_MS);
      expect((await directory.find(key))?.sums).toEqual({ steps: 1 });
    });

    test("loses nothing of concurrent writers", async (directory) => {
      const key = newKey();
      const notes = Array.from({ length: 20 }, (_, i) =>
        directory.note(key, change({ at: i, set: { [`seen${i}`]: "yes" }, add: { steps: 1 } }), TTL_MS),
      );
      await Promise.all(notes);
      const entry = await directory.find(key);
      expect(entry).toMatchObject({ at: 19, sums: { steps: 20 } });
      expect(Object.keys(entry?.fields ?? {})).toHaveLength(20);
    });
  });
}

function change(parts: Partial<DirectoryChange>): DirectoryChange {
  return { at: 0, set: {}, first: {}, add: {}, ...parts };
}

function newKey(): SessionKey {
  return randomUUID() as SessionKey;
}
