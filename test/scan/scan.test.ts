import { describe, expect, it } from "vitest";
import {
  isName,
  isShare,
  likenessOf,
  listedCells,
  numberOf,
  slotsIn,
  countWords,
  nearlyEqual,
  readSpeech,
  similarity,
} from "../../src/scan/scan.ts";

const sign = (text: string) =>
  [...text]
    .reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 1e8, 7)
    .toString()
    .padStart(8, "0");
const shapeOf = (text: string, isJson = false) => likenessOf(text, isJson, sign).shape;
const slots = (text: string, isJson = false) => slotsIn(likenessOf(text, isJson, sign).slots);
const exact = (text: string) => slots(text).map((slot) => numberOf(slot)?.exact);

describe("the numbers of a text", () => {
  it.each([
    ["12 files", [12]],
    ["page 3 of 12", [3, 12]],
    ["第3章、12件中5件", [3, 12, 5]],
    ["12m", [undefined]],
    ["x12 v2-3 [17]", [undefined, undefined, undefined]],
    ['"user_id": 12', [12]],
    ['"user_id":12', [undefined]],
    ["7 failed, 3 passed", []],
  ])("of %j are %j", (text, numbers) => expect(exact(text)).toEqual(numbers));

  it("grow by their unit of bytes", () => {
    const [small, large, alone] = slots("12KiB 12MB 1.70G").map((slot) => numberOf(slot)?.size);
    expect(small).not.toBe(large);
    expect(alone).toBeDefined();
  });

  it("tell shares, decimals and names apart", () => {
    const [share, decimal, name] = slots("0.75 3.75 a1");
    expect([share, decimal, name].map((slot) => isShare(slot ?? ""))).toEqual([true, false, false]);
    expect([share, decimal, name].map((slot) => isName(slot ?? ""))).toEqual([false, false, true]);
  });
});

describe("the shape of a text", () => {
  it.each([
    ["another number", "read 12 rows", "read 13 rows", true],
    ["another word", "read 12 rows", "read 12 lines", false],
    ["words in another order", "one apple", "apple one", false],
    ["another count of failures", "7 failed", "6 failed", false],
    ["another middle", `a ${"b ".repeat(9_000)} c`, `a ${"b ".repeat(4_000)}x ${"b ".repeat(4_999)} c`, false],
  ])("is the same for %s: %s, %s: %s", (_, one, other, same) => expect(shapeOf(one) === shapeOf(other)).toBe(same));

  it("of JSON has the objects of a list in no order", () => {
    expect(shapeOf('[{"a":"x"},{"a":"y"}]', true)).toBe(shapeOf('[{"a":"y"},{"a":"x"}]', true));
  });
});

it("lists the cells of a text, but for names of fields and bare counts", () => {
  const cells = listedCells(3);
  likenessOf('{"name":"north gate","count":12,"id":90210}, west wing | east wing', true, sign, cells);
  expect([...cells.cells]).toEqual(["north gate", "90210", "west wing"]);
});

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
