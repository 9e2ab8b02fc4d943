import { expect, it } from "vitest";
import { inspect } from "../../../src/engine/engine.ts";
import { countsOf } from "../../support/builders/detection.ts";
import { call, said, times } from "../../support/builders/steps.ts";

const nothing = { window: [], total: 0, requestedRepeats: 0, elsewhere: 0 };

it("counts the steps of the thread, those that left the window included", () => {
  expect(
    countsOf(
      "budget",
      times(100, (i) => (i % 2 === 0 ? said(`${i}`) : call("a", { i }, "b"))),
    ),
  ).toEqual(["100 steps"]);
});

it("finds each kind that is counted, and no other", () => {
  const usage = { tokens: 1200, cost: 1_250_000, seconds: 0 };
  expect(inspect({ ...nothing, usage }).map(({ loop, count, note }) => ({ loop, count, note }))).toEqual([
    { loop: "budget:steps", count: 0, note: "0 steps taken" },
    { loop: "budget:tokens", count: 1200, note: "1200 tokens used" },
    { loop: "budget:cost", count: 1_250_000, note: "cost of 1.25" },
    { loop: "budget:seconds", count: 0, note: "0 seconds passed" },
  ]);
});
