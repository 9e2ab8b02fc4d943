import { expect, it } from "vitest";
import { unusedStem } from "../../src/evaluation/read/abridged-body.ts";
import { growsBeyondLinear } from "../support/checks/growth.ts";

const stem = "unloop-left-out-";

it.each([
  "",
  stem,
  `${stem}0-`,
  `${stem}0-${stem}1-${stem}3-`,
  `${stem}${stem}0-`,
  `unloop-${stem}0-`,
  `${stem}${"-".repeat(5_000)}`,
  `${stem}${"7".repeat(5_000)}-`,
  Array.from({ length: 1_000 }, (_, i) => `${stem}${i}-`).join(""),
])("a mark begins as nothing in the text does, and is short whatever that holds", (text) => {
  const unused = unusedStem(text);
  expect(text).not.toContain(unused);
  expect(unused.length).toBeLessThan(24);
});

it.each([
  { name: "dashes", textOf: (size: number) => `${stem}${"-".repeat(size)}` },
  { name: "numbers", textOf: (size: number) => Array.from({ length: size / 20 }, (_, i) => `${stem}${i}-`).join("") },
  { name: "digits", textOf: (size: number) => stem + "7".repeat(size) },
])("a text of stems behind $name is looked through as fast as any", ({ textOf }) => {
  const work = (size: number) => {
    const text = textOf(size);
    return () => unusedStem(text);
  };
  expect(growsBeyondLinear(work, [16_384, 32_768, 65_536])).toEqual([]);
});
