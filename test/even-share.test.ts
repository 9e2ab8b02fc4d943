import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SharedBounds, sharedMap } from "../src/even-share.ts";

/** Keeps each key as its own value, and notes those that had to leave. */
function sharedKeys(bounds: SharedBounds) {
  const gone: string[] = [];
  const map = sharedMap<string>(
    bounds,
    () => 0,
    (key) => gone.push(key),
  );
  const put = (key: string, owner: string, weight: number) => map.set(key, owner, weight, key, 1);
  return { ...map, gone, put };
}

describe("a map that several share", () => {
  it("has room of keys made by who has most of them, whatever they weigh", () => {
    const { put, gone } = sharedKeys({ weight: 1_000, keys: 3 });
    for (const key of ["a0", "a1", "a2"]) put(key, "a", 1);
    put("b0", "b", 500);
    expect(gone).toEqual(["a0"]);
  });

  it("counts of what is put again its new weight alone", () => {
    const { put, taken } = sharedKeys({ weight: 10 });
    for (const weight of [8, 3]) put("a", "a", weight);
    expect(taken()).toBe(3);
  });

  it("has room made by who takes up most, with what it used longest ago", () => {
    const { put, get, gone } = sharedKeys({ weight: 10 });
    for (let i = 0; i < 9; i++) put(`a${i}`, "a", 1);
    put("b0", "b", 1);
    get("a0");
    put("b1", "b", 2);
    expect(gone).toEqual(["a1", "a2"]);
  });

  it("keeps what has just come, where another has more", () => {
    const { put, gone } = sharedKeys({ weight: 10 });
    put("a", "a", 6);
    put("b", "b", 5);
    expect(gone).toEqual(["a"]);
  });

  it("gives up what has expired as other things come, two at a time", () => {
    let now = 0;
    const map = sharedMap<string>({ weight: 100 }, () => now);
    for (const key of ["a", "b", "c", "d"]) map.set(key, "one", 10, key, 1);
    now = 1;
    map.set("e", "two", 10, "e", 1);
    expect([map.taken(), map.values(), map.get("d"), map.peek("d")]).toEqual([30, ["e"], undefined, undefined]);
  });

  it("costs nobody who keeps to an even share anything, whatever the others do", () => {
    const owner = fc.constantFrom("a", "b", "c", "d");
    const onePut = fc.record({ owner, key: fc.nat(40), weight: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(fc.array(onePut, { maxLength: 200 }), (puts) => {
        const { put, gone, taken } = sharedKeys({ weight: 60, keys: 24 });
        const mine = ["mine 0", "mine 1", "mine 2"];
        for (const key of mine) put(key, "mine", 4);
        for (const one of puts) put(`${one.owner} ${one.key}`, one.owner, one.weight);
        expect(gone.filter((key) => mine.includes(key))).toEqual([]);
        expect(taken()).toBeLessThanOrEqual(60);
      }),
    );
  });
});
