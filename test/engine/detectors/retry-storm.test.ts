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
])("$name", ({ arrivals, count }) => expect(countOf(arrivals)).toBe(count));

it("looks as far back as the policy says", () => {
  expect(countOf([1, 50, 100], 10)).toBeUndefined();
  expect(countOf([1, 50, 100], 100)).toBe(3);
});
