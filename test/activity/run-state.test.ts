import { expect, it } from "vitest";
import { stateOfThreads, stateText } from "../../src/activity/activity.ts";

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

it.each([
  { name: "its only thread's", threads: [stateText("running", NOW)], is: "running" },
  {
    name: "the most pressing of its threads",
    threads: [stateText("done", NOW), stateText("looping", NOW - MINUTE), stateText("running", NOW)],
    is: "looping",
  },
  {
    name: "not that of a thread that was left long ago",
    threads: [stateText("ended", NOW - 11 * MINUTE), stateText("running", NOW)],
    is: "running",
  },
  { name: "running where nothing is known", threads: [], is: "running" },
])("a session's state is $name", ({ threads, is }) => {
  expect(stateOfThreads(threads, NOW, NOW).state).toBe(is);
});

it.each([
  ["running", "idle"],
  ["looping", "idle"],
  ["warned", "idle"],
  ["recovered", "idle"],
  ["ended", "ended"],
  ["forced", "forced"],
  ["cut", "cut"],
  ["done", "done"],
] as const)("a run that was %s ten minutes ago is %s now", (state, later) => {
  expect(stateOfThreads([stateText(state, NOW)], NOW, NOW + 10 * MINUTE).state).toBe(later);
});
