import { expect, it } from "vitest";
import { stateOfThreads, stateText, stateTimes } from "../../src/activity/activity.ts";
import type { ThreadKey } from "../../src/store/store.ts";

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
  ["recovered", "idle"],
  ["ended", "ended"],
  ["cut", "cut"],
] as const)("a run that was %s ten minutes ago is %s now", (state, later) => {
  expect(stateOfThreads([stateText(state, NOW)], NOW, NOW + 10 * MINUTE).state).toBe(later);
});

it("a state goes on from its first exchange, and begins anew after another", () => {
  const [times, thread] = [stateTimes(), "session.thread" as ThreadKey];
  const seen = (["running", "looping", "looping", "running", "running"] as const).map((state, at) =>
    times.since(thread, state, at),
  );
  expect(seen).toEqual([0, 1, 1, 3, 3]);
});
