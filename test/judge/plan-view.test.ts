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

it.each([
  { when: "never", at: -1, from: 0, acts: 70 },
  { when: "before the window", at: 2, from: 3, acts: 67 },
  { when: "within the window", at: 60, from: 61, acts: 9 },
])("a plan begins behind the last task of a person, who spoke $when", ({ at, from, acts }) => {
  const steps = times(70, (i) => [
    call("click", { index: i }, `Page ${i} is shown now.`),
    ...(i === at ? [heard("Now set up the other account.")] : []),
  ]).flat();
  const told = conversation([heard("Set up the account."), ...steps]);
  expect(planIn(ledgerAfter(told, judgeWith()), told, terms)).toMatchObject({ from, acts });
});
