import fc from "fast-check";
import { expect, it } from "vitest";
import { numbersIn } from "../../src/engine/numbers.ts";
import { oddTexts } from "../support/odd-texts.ts";

const plainly = (text: string) => (text.match(/\d+/g) ?? []).join();

it.each([
  ["page 3", "page 4"],
  ["1 23", "12 3"],
  ["1", "1 1"],
  ["12", "21"],
  ["7", "07"],
  ["x", "0"],
])("tells the numbers of %j from those of %j", (a, b) => expect(numbersIn(a)).not.toBe(numbersIn(b)));

it("is the same for two texts if, and only if, their numbers are, in their order", () => {
  const numbered = fc
    .array(fc.oneof(fc.constantFrom("1", "2", "12", " ", "-", "x", "漢", "٣"), oddTexts), { maxLength: 6 })
    .map((some) => some.join(""));
  fc.assert(
    fc.property(numbered, numbered, (a, b) => {
      expect(numbersIn(a) === numbersIn(b)).toBe(plainly(a) === plainly(b));
      expect(numbersIn(a.replace(/\D+/g, " "))).toBe(numbersIn(a));
    }),
    { numRuns: 2_000 },
  );
});

it("takes a number for one wherever it stands in a long text", () => {
  for (const before of [8_190, 8_191, 8_192, 8_193])
    expect(numbersIn(`${"x".repeat(before)}1234`)).toBe(numbersIn("1234"));
});
