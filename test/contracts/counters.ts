import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { Counters, SessionKey } from "../../src/store/store.ts";

export interface CountersUnderTest {
  readonly counters: Counters;
  /** Lets time pass for the counters: a given clock moves, or what is kept grows older. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

const TTL_MS = 10_000;

/** What all counters promise. Makes its own keys, so a shared database need not be empty. */
export function countersContract(name: string, make: () => Promise<CountersUnderTest>): void {
  describe(name, () => {
    let made: CountersUnderTest;
    const test = (sentence: string, run: (counters: Counters) => Promise<void>) =>
      it(sentence, async () => {
        made = await make();
        await run(made.counters);
      });
    afterEach(() => made.close());

    test("tell every total after each addition, and again when read", async (counters) => {
      const key = newKey();
      expect(await counters.add(key, { steps: 1, tokens: 1_200 }, TTL_MS)).toEqual({ steps: 1, tokens: 1_200 });
      expect(await counters.add(key, { steps: 1 }, TTL_MS)).toEqual({ steps: 2, tokens: 1_200 });
      expect(await counters.read(key)).toEqual({ steps: 2, tokens: 1_200 });
    });

    test("add fractions and take away", async (counters) => {
      const key = newKey();
      await counters.add(key, { cost: 0.1, tiny: 1e-7 }, TTL_MS);
      const totals = await counters.add(key, { cost: 0.2, steps: -3 }, TTL_MS);
      expect(totals.cost).toBeCloseTo(0.3, 12);
      expect(totals.tiny).toBeCloseTo(1e-7, 12);
      expect(totals.steps).toBe(-3);
    });

    test("lose nothing of 200 concurrent additions", async (counters) => {
      const key = newKey();
      const totals = await Promise.all(
        Array.from({ length: 200 }, (_, i) => counters.add(key, { steps: 1, tokens: i }, TTL_MS)),
      );
      expect(totals.map(({ steps }) => steps ?? 0).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 200 }, (_, i) => i + 1),
      );
      expect(await counters.read(key)).toEqual({ steps: 200, tokens: 19_900 });
    });

    test("forget everything of a key when nothing was added for so long", async (counters) => {
      const key = newKey();
      await counters.add(key, { steps: 1 }, TTL_MS);
      await made.advance(TTL_MS * 0.6);
      await counters.add(key, { tokens: 5 }, TTL_MS);
      await made.advance(TTL_MS * 0.6);
      expect(await counters.read(key)).toEqual({ steps: 1, tokens: 5 });
      await made.advance(TTL_MS);
      expect(await counters.read(key)).toEqual({});
      expect(await counters.add(key, { steps: 1 }, TTL_MS)).toEqual({ steps: 1 });
    });

    test("keep sessions apart, and names of any kind", async (counters) => {
      const [one, other] = [newKey(), newKey()];
      await counters.add(one, { ["__proto__"]: 1, constructor: 2, "ツール 🙂": 3, "": 4 }, TTL_MS);
      await counters.add(other, { constructor: 1 }, TTL_MS);
      expect(Object.entries(await counters.read(one)).sort()).toEqual([
        ["", 4],
        ["__proto__", 1],
        ["constructor", 2],
        ["ツール 🙂", 3],
      ]);
      expect(await counters.read(other)).toEqual({ constructor: 1 });
    });

    test("refuse what is no number, and count nothing of it", async (counters) => {
      const key = newKey();
      for (const odd of [Number.NaN, Number.POSITIVE_INFINITY]) {
        const adding = counters.add(key, { steps: 1, tokens: odd }, TTL_MS);
        await expect(adding).rejects.toMatchObject({ code: "record_refused" });
      }
      expect(await counters.read(key)).toEqual({});
    });
  });
}

function newKey(): SessionKey {
  return randomUUID() as SessionKey;
}
