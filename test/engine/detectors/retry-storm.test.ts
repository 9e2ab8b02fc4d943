import { expect, it } from "vitest";
import { inspect } from "../../../src/engine/engine.ts";
import { printOf } from "../../support/builders/detection.ts";
import { call } from "../../support/builders/steps.ts";

const situation = { window: [printOf(call("read", {}, "text"))], total: 9, requestedRepeats: 0, elsewhere: 0 };

function countOf(arrivals: readonly number[], seconds?: number): number | undefined {
  const settings = seconds === undefined ? {} : { "retry-storm": { seconds } };
  return inspect({ ...situation, arrivals }, settings).find(({ detector }) => detector === "retry-storm")?.count;
}

it.each([
  { name: "a request that came once is none", arrivals: [100], count: undefined },
  { name: "all within the minute before the last count", arrivals: [41, 60, 99, 100], count: 4 },
  { name: "a last one after a minute begins anew", arrivals: [1, 2, 3, 4, 5, 100], count: undefined },
  { name: "several in one second are several", arrivals: [100, 100, 100], count: 3 },
])("$name", ({ arrivals, count }) => expect(countOf(arrivals)).toBe(count));

it("looks as far back as the policy says", () => {
  expect(countOf([1, 50, 100], 10)).toBeUndefined();
  expect(countOf([1, 50, 100], 100)).toBe(3);
});

it("shows the step that does not get its answer", () => {
  const [finding] = inspect({ ...situation, arrivals: [1, 2] }).filter(({ detector }) => detector === "retry-storm");
  expect(finding).toMatchObject({ evidence: [8], note: "the same request 2 times within 60 seconds" });
});
