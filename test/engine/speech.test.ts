import fc from "fast-check";
import { expect, it } from "vitest";
import { plainText } from "../../src/engine/speech.ts";
import { oddTexts } from "../support/odd-texts.ts";

it.each([
  ["  Hello,   World!\r\n", "hello world"],
  ["snake_case, kebab-case", "snake case kebab case"],
  ["It’s “done” — really…", "it s done really"],
  ["ＦＵＬＬ ① ﬁt", "full 1 fit"],
  ["", ""],
  ["...", ""],
])("of %j it is said: %j", (text, plain) => expect(plainText(text)).toBe(plain));

it("leaves of any text its letters and digits, in one case and one form", () => {
  const plainly = (text: string) =>
    text
      .toLowerCase()
      .normalize("NFKC")
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  fc.assert(
    fc.property(oddTexts, (text) => {
      expect(plainText(text)).toBe(plainly(text));
    }),
    { numRuns: 2_000 },
  );
});

it("does so with texts of any length", () => {
  for (const length of [16_383, 16_384, 16_385, 40_000])
    expect(plainText("Ab, ".repeat(length / 4)).length).toBe(3 * Math.floor(length / 4) - 1);
});
