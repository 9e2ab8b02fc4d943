import { afterEach, describe, expect, it } from "vitest";
import type { Directives } from "../../src/store/store.ts";

export interface DirectivesUnderTest {
  /** Empty. */
  readonly directives: Directives;
  /** Lets time pass for all that is kept. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

const TTL_MS = 60_000;

/** What all directives promise. */
export function directivesContract(name: string, make: () => Promise<DirectivesUnderTest>): void {
  describe(name, () => {
    let made: DirectivesUnderTest;
    const test = (
      sentence: string,
      run: (directives: Directives, advance: DirectivesUnderTest["advance"]) => Promise<void>,
    ) =>
      it(sentence, async () => {
        made = await make();
        await run(made.directives, (ms) => made.advance(ms));
      });
    afterEach(() => made.close());
    const standing = async (directives: Directives) => Object.fromEntries((await directives.read())?.texts ?? []);

    test("are none at first, and say so with a revision", async (directives) => {
      const first = await directives.read();
      expect(first?.texts.size).toBe(0);
      expect(await directives.read(first?.revision)).toBeUndefined();
    });

    test("are told whole after each change, and not at all without one", async (directives) => {
      const first = await directives.read();
      await directives.put("a", '{"kind":"contain"}', TTL_MS);
      const second = await directives.read(first?.revision);
      expect([...(second?.texts ?? [])]).toEqual([["a", '{"kind":"contain"}']]);
      expect(await directives.read(second?.revision)).toBeUndefined();
      await directives.put("b", "2", TTL_MS);
      await directives.remove("a");
      expect(Object.fromEntries((await directives.read(second?.revision))?.texts ?? [])).toEqual({ b: "2" });
    });

    test("end by themselves", async (directives, advance) => {
      await directives.put("short", "1", TTL_MS);
      await directives.put("long", "2", 3 * TTL_MS);
      await advance(2 * TTL_MS);
      expect(await standing(directives)).toEqual({ long: "2" });
      await advance(2 * TTL_MS);
      expect(await standing(directives)).toEqual({});
    });

    test("are told whole to who knows a revision that there is not", async (directives) => {
      await directives.put("a", "1", TTL_MS);
      expect(Object.fromEntries((await directives.read("another store's"))?.texts ?? [])).toEqual({ a: "1" });
    });
  });
}
