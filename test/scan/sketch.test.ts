import fc from "fast-check";
import { expect, it } from "vitest";
import { readSpeech, sketch } from "../../src/scan/scanned-text.ts";
import { nearlyEqual, similarity } from "../../src/scan/sketch.ts";
import { countWords } from "../../src/scan/words.ts";
import { oddTexts } from "../support/builders/odd-texts.ts";

const TEXT =
  "Kestrel Optics makes lenses for field microscopes and telescopes, sells through regional dealers and offers repair, calibration and training.";

it.each([
  { name: "itself", other: TEXT, near: true },
  { name: "another case and spacing", other: TEXT.toUpperCase().replaceAll(" ", "  "), near: true },
  { name: "another order of words", other: TEXT.split(" ").reverse().join(" "), near: true },
  { name: "one word more", other: `${TEXT} Really.`, near: true },
  {
    name: "a text about something else",
    other:
      "The quick brown fox jumps over a lazy dog while seven wizards brew potions behind an ancient wooden barn every night.",
    near: false,
  },
  { name: "a few of its words", other: "Kestrel Optics makes lenses.", near: false },
  { name: "nothing", other: "", near: false },
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

it("takes two texts without words for equal", () => expect(similarity(sketch(""), sketch("…"))).toBe(1));

it.each([
  ["", 0],
  ["one", 1],
  ["two words", 2],
  ["了解しました", 3],
  ["好的", 1],
  ["🙂", 0],
])("counts the words of %j: %i", (text, count) => expect(countWords(text)).toBe(count));

/** What the scans are to see, in expressions: one match for each word. */
const WORD = /[\p{L}\p{N}_]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function wordsIn(text: string): readonly string[] {
  return [...text.toLowerCase().matchAll(WORD)].flatMap(([word]) =>
    word.length > 2 && UNSPACED.test(word)
      ? Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + 2))
      : [word],
  );
}

function plainSketch(text: string): string {
  const least = new Array<number>(32).fill(Number.POSITIVE_INFINITY);
  for (const word of wordsIn(text)) {
    let hash = 0x811c9dc5;
    for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
    hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
    hash = (hash ^ (hash >>> 16)) >>> 0;
    least[hash % 32] = Math.min(least[hash % 32] ?? 0, hash >>> 5);
  }
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return least.map((rank) => (rank === Number.POSITIVE_INFINITY ? "." : alphabet[rank % 64])).join("");
}

it("sketches any text by its words, whatever they are made of", () => {
  fc.assert(
    fc.property(oddTexts, (text) => {
      expect(sketch(text)).toBe(plainSketch(text));
    }),
  );
});

it("sketches long texts by head and tail, of one script or of several", () => {
  const long = fc.tuple(oddTexts, oddTexts, fc.nat(20_000)).map(([a, b, n]) => `${a}${`${b} x`.repeat(n / 10)}${a}`);
  fc.assert(
    fc.property(long, (text) => {
      const sample = text.length > 16_384 ? text.slice(0, 8_192) + text.slice(-8_192) : text;
      expect(sketch(text)).toBe(plainSketch(sample));
    }),
  );
});

it("counts the words of any text", () => {
  const plainCount = (text: string) =>
    [...text.matchAll(WORD)].reduce((sum, [word]) => sum + (UNSPACED.test(word) ? Math.ceil(word.length / 2) : 1), 0);
  fc.assert(
    fc.property(oddTexts, (text) => {
      expect(countWords(text)).toBe(plainCount(text));
    }),
  );
});

it("reads a text once to the same end as twice", () => {
  const texts = fc.oneof(oddTexts, fc.string({ unit: "grapheme-ascii", maxLength: 20_000 }));
  fc.assert(
    fc.property(texts, (text) => {
      const like = plainSketch(text.length > 16_384 ? text.slice(0, 8_192) + text.slice(-8_192) : text);
      expect(readSpeech(text)).toMatchObject({ like, words: countWords(text) });
    }),
  );
});
