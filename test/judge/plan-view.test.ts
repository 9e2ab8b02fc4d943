import { expect, it } from "vitest";
import { goalChangeIn, planIn } from "../../src/judge/plan-view.ts";
import { judgeWith, ledgerAfter } from "../support/builders/detection.ts";
import { call, conversation, heard, times } from "../support/builders/steps.ts";

const terms = { actions: [], maxSteps: 50, isTold: true };

it.each([
  { acts: 49, change: undefined },
  { acts: 50, change: "steps 50" },
])("a plan of $acts actions, each with a look behind it, is given up: $change", ({ acts, change }) => {
  const told = conversation([
    heard("Set up the account."),
    ...times(acts, (i) => [
      call("click", { index: i }, `Page ${i} of the long form is shown now, with a title of its own.`),
      call("browser_snapshot", {}, `Page ${i} of the long form is shown now, with a title of its own.`),
    ]).flat(),
  ]);
  const run = ledgerAfter(told, judgeWith());
  const course = goalChangeIn(planIn(run, told, terms), run, terms)?.course;
  expect(course && `${course.why} ${course.times}`).toBe(change);
});
