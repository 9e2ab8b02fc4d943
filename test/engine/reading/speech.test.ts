import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { plainText } from "../../../src/engine/reading/speech.ts";
import { oddTexts } from "../../support/builders/odd-texts.ts";

it.each([
  ["  Hello,   World!\r\n", "hello world"],
  ["It’s “done” — really…", "it s done really"],
  ["ＦＵＬＬ ① ﬁt", "full 1 fit"],
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
  );
});

it("does so with texts of any length", () => {
  for (const length of [16_383, 16_384, 16_385, 40_000])
    expect(plainText("Ab, ".repeat(length / 4)).length).toBe(3 * Math.floor(length / 4) - 1);
});

it.each([
  { what: "one that becomes eighteen letters", letter: "\ufdfa" },
  { what: "one that becomes three", letter: "\u{1d1bf}" },
])("is worked on only as far as it is not much longer than the text: $what", ({ letter }) => {
  for (const length of [2, 2_000, 40_000]) {
    const normalized = vi.spyOn(String.prototype, "normalize");
    const plain = plainText(letter.repeat(length));
    const worked = normalized.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
    normalized.mockRestore();
    expect(plain.length).toBeLessThanOrEqual(2 * letter.length * length + 64);
    expect(worked).toBeLessThan(2 * letter.length * length + 20_000);
  }
});
