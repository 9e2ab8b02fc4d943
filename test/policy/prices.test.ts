import { expect, it } from "vitest";
import { costOf, priceFor } from "../../src/policy/policy.ts";

const at = (input: number) => ({ input, output: 10 });
const prices = { "gpt-5": at(1), "gpt-5*": at(2), "gpt-*": at(3), "gpt-5-mini*": at(4) };

it.each([
  { model: "gpt-5", input: 1, why: "its own price" },
  { model: "gpt-5-2026-01-01", input: 2, why: "that of the longest beginning" },
  { model: "gpt-5-mini-2026", input: 4, why: "that of the longest beginning, whatever its place" },
  { model: "gpt-4o", input: 3, why: "that of its family" },
  { model: "GPT-5", input: undefined, why: "none, for names are as they are written" },
  { model: "claude", input: undefined, why: "none" },
  { model: "constructor", input: undefined, why: "none of an object's own making" },
])("$model has $why", ({ model, input }) => expect(priceFor(prices, model)?.input).toBe(input));

it("one star is for all models", () => {
  expect(priceFor({ "*": at(7) }, "")?.input).toBe(7);
});

it.each([
  { used: { inputTokens: 1_000_000, outputTokens: 0 }, cost: 2_500_000 },
  { used: { inputTokens: 0, outputTokens: 3 }, cost: 30 },
  { used: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 60 }, cost: 40 * 2.5 + 60 * 0.25 + 10 * 10 },
  { used: { inputTokens: 10, outputTokens: 0, cachedInputTokens: 99 }, cost: 3 },
  {
    used: { inputTokens: 100, outputTokens: 0, cachedInputTokens: 60, cacheWriteTokens: 40 },
    cost: 60 * 0.25 + 40 * 3,
  },
  { used: { inputTokens: 10, outputTokens: 0, cacheWriteTokens: 99 }, cost: 30 },
])("$used costs $cost millionths", ({ used, cost }) => {
  expect(costOf({ input: 2.5, output: 10, cachedInput: 0.25, cacheWrite: 3 }, used)).toBe(cost);
});

it("cached input costs what input does where the table says no more, read or written", () => {
  expect(costOf({ input: 2, output: 10 }, { inputTokens: 10, outputTokens: 0, cachedInputTokens: 9 })).toBe(20);
  expect(costOf({ input: 2, output: 10 }, { inputTokens: 10, outputTokens: 0, cacheWriteTokens: 9 })).toBe(20);
});
