import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sharedSpace } from "../src/even-share.ts";

/** Makes room until there is enough, and gives the keys that had to. */
function makeRoom(space: ReturnType<typeof sharedSpace>): readonly string[] {
  const gone: string[] = [];
  for (let key = space.crowded(); key !== undefined; key = space.crowded()) {
    gone.push(key);
    space.remove(key);
  }
  return gone;
}

describe("space that several share", () => {
  it("room of keys is made by who has most of them, whatever they weigh", () => {
    const space = sharedSpace({ weight: 1_000, keys: 3 });
    for (const key of ["a0", "a1", "a2"]) space.put(key, "a", 1);
    space.put("b0", "b", 500);
    expect(space.crowded()).toBe("a0");
  });

  it("what is put again takes up its new weight alone", () => {
    const space = sharedSpace({ weight: 10 });
    for (const weight of [8, 3]) space.put("a", "a", weight);
    expect(space.taken()).toBe(3);
  });

  it("is made by who has most of it, with what it used longest ago", () => {
    const space = sharedSpace({ weight: 10 });
    for (let i = 0; i < 9; i++) space.put(`a${i}`, "a", 1);
    space.put("b0", "b", 1);
    space.touch("a0");
    space.put("b1", "b", 2);
    expect(makeRoom(space)).toEqual(["a1", "a2"]);
  });

  it("is not made by what has just come, where another has more", () => {
    const space = sharedSpace({ weight: 10 });
    space.put("a", "a", 6);
    space.put("b", "b", 5);
    expect(makeRoom(space)).toEqual(["a"]);
  });

  it("costs nobody who keeps to an even share anything, whatever the others do", () => {
    const owner = fc.constantFrom("a", "b", "c", "d");
    const put = fc.record({ owner, key: fc.nat(40), weight: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(fc.array(put, { maxLength: 200 }), (puts) => {
        const space = sharedSpace({ weight: 60, keys: 24 });
        const mine = ["mine 0", "mine 1", "mine 2"];
        for (const key of mine) space.put(key, "mine", 4);
        const gone = puts.flatMap((one) => {
          space.put(`${one.owner} ${one.key}`, one.owner, one.weight);
          return makeRoom(space);
        });
        expect(gone.filter((key) => mine.includes(key))).toEqual([]);
        expect(space.taken()).toBeLessThanOrEqual(60);
      }),
    );
  });
});
