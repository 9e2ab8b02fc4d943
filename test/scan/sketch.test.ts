import { expect, it } from "vitest";
import { countWords, nearlyEqual, readSpeech, similarity } from "../../src/scan/scan.ts";

const sketch = (text: string) => readSpeech(text).like;

const TEXT =
  "Kestrel Optics makes lenses for field microscopes and telescopes, sells through regional dealers and offers repair, calibration and training.";

it.each([
  { name: "another case and spacing", other: TEXT.toUpperCase().replaceAll(" ", "  "), near: true },
  { name: "one word more", other: `${TEXT} Really.`, near: true },
  {
    name: "a text about something else",
    other:
      "The quick brown fox jumps over a lazy dog while seven wizards brew potions behind an ancient wooden barn every night.",
    near: false,
  },
  { name: "a few of its words", other: "Kestrel Optics makes lenses.", near: false },
])("a text and $name: near is $near", ({ other, near }) => expect(nearlyEqual(sketch(TEXT), sketch(other))).toBe(near));

it("does not call short texts near-equal: they have too little in common to tell", () => {
  expect(nearlyEqual(sketch("saved as 1"), sketch("saved as 2"))).toBe(false);
});

it("tells Japanese and Chinese sentences apart though they have no spaces", () => {
  const one = sketch("ファイルが見つからないため、処理を続行できません。設定を確認してもう一度実行してください。");
  const edited = sketch("ファイルが見つからないため、処理を続行できません。設定を確認して再度実行してください。");
  const other = sketch("東京の明日の天気は晴れ、最高気温は二十五度、降水確率は十パーセントの見込みです。");
  expect(similarity(one, edited)).toBeGreaterThan(0.7);
  expect(similarity(one, other)).toBeLessThan(0.3);
});

it("has one length for all texts, and none of their words", () => {
  for (const text of ["", "a", TEXT, "é".repeat(1_000_000)]) expect(sketch(text)).toHaveLength(32);
  expect(sketch(TEXT)).not.toMatch(/kestrel/i);
});

it.each([
  ["", 0],
  ["one", 1],
  ["two words", 2],
  ["了解しました", 3],
  ["好的", 1],
  ["🙂", 0],
])("counts the words of %j: %i", (text, count) => expect(countWords(text)).toBe(count));
