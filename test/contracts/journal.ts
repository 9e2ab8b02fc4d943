import { afterEach, describe, expect, it } from "vitest";
import type { Journal } from "../../src/store/store.ts";

export interface JournalUnderTest {
  /** Empty. */
  readonly journal: Journal;
  close(): Promise<void>;
}

const CAPACITY = 20;

/** What every journal promises. */
export function journalContract(name: string, make: (capacity: number) => Promise<JournalUnderTest>): void {
  describe(name, () => {
    let made: JournalUnderTest;
    const test = (sentence: string, run: (journal: Journal) => Promise<void>) =>
      it(sentence, async () => {
        made = await make(CAPACITY);
        await run(made.journal);
      });
    afterEach(() => made.close());

    const newest = async (journal: Journal, limit: number) => (await journal.page(limit)).map((item) => item.entry);
    const fill = async (journal: Journal, count: number) => {
      for (let i = 0; i < count; i += 1) await journal.append(entry(i));
    };

    test("tells the newest entries first", async (journal) => {
      await fill(journal, 5);
      expect(await newest(journal, 3)).toEqual([4, 3, 2].map(entry));
      expect(await newest(journal, 10)).toEqual([4, 3, 2, 1, 0].map(entry));
    });

    test("forgets the oldest beyond its capacity, and keeps all within", async (journal) => {
      await fill(journal, CAPACITY * 20);
      const kept = Array.from({ length: CAPACITY }, (_, back) => entry(CAPACITY * 20 - 1 - back));
      expect(await newest(journal, CAPACITY * 20)).toEqual(kept);
    });

    test("is paged from the newest to the oldest, each entry once", async (journal) => {
      await fill(journal, 7);
      const told: string[] = [];
      let before: string | undefined;
      for (let pages = 0; pages < 4; pages += 1) {
        const page = await journal.page(3, before);
        told.push(...page.map((item) => item.entry));
        before = page.at(-1)?.id ?? before;
      }
      expect(told).toEqual([6, 5, 4, 3, 2, 1, 0].map(entry));
      expect(await journal.page(3, before)).toEqual([]);
    });

    test("has nothing older than an entry that has been forgotten", async (journal) => {
      await journal.append("forgotten");
      const [first] = await journal.page(1);
      await fill(journal, CAPACITY * 20);
      expect(await journal.page(10, first?.id)).toEqual([]);
    });

    test("loses nothing of concurrent writers", async (journal) => {
      await Promise.all(Array.from({ length: CAPACITY }, (_, i) => journal.append(entry(i))));
      const told = await newest(journal, CAPACITY);
      expect([...told].sort()).toEqual(Array.from({ length: CAPACITY }, (_, i) => entry(i)).sort());
    });
  });
}

function entry(index: number): string {
  return JSON.stringify({ index });
}
