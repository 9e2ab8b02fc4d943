import { expect, it } from "vitest";
import { countsOf } from "../../support/detection.ts";
import { call, said, times } from "../../support/steps.ts";

it("counts the steps of the thread, those that left the window included", () => {
  expect(
    countsOf(
      "budget",
      times(100, (i) => (i % 2 === 0 ? said(`${i}`) : call("a", { i }, "b"))),
    ),
  ).toEqual(["100 steps"]);
});
