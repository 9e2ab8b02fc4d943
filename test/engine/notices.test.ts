import { describe, expect, it } from "vitest";
import { storyOf } from "../support/builders/detection.ts";
import { call, conversation, heard, type Part, said, times } from "../support/builders/steps.ts";

/** What becomes of a run, each rung with the count at which it came first. */
function rungsOf(parts: readonly Part[]): Readonly<Record<string, number>> {
  const rungs: Record<string, number> = {};
  for (const line of storyOf(conversation(parts))) {
    const [, rung = "", count] = /^(\S+) .* x(\d+) at/.exec(line) ?? [];
    rungs[rung] ??= Number(count);
  }
  return rungs;
}

const excuses = [
  "All work is complete; there is nothing further to continue.",
  "As said, the task is done.",
  "There is no active task. The work is finished.",
  "Everything asked for has been done already.",
  "Nothing remains. The test was added and is green.",
  "I have no open work on this; the change is in place.",
  "The request has been met, so I stop here.",
  "No further step is needed from my side.",
];

const pushed = (push: (round: number) => string): readonly Part[] => [
  heard("Add the missing test."),
  call("write", { path: "t.ts", content: "test" }, "File written."),
  said("The test is there and passes. Nothing is left to do."),
  ...excuses.flatMap((excuse, i) => [heard(push(i + 1)), said(excuse)]),
];

describe("a push that differs in figures and times is the same push", () => {
  it.each([
    [
      "a hook that counts",
      (n: number) => `Stop hook feedback:\n[DRIVE ${n}/50] The mode is on. Keep at it: Add the test.`,
    ],
    ["a sentence that counts its rounds", (n: number) => `Keep going, round ${n} of 40.`],
  ])("%s", (_, push) => expect(rungsOf(pushed(push))).toEqual({ nudge: 4, "force-done": 6, "short-circuit": 7 }));

  it.each([
    ["a person asks for page after page", (n: number) => `Now tell me about page ${n}.`],
    [
      "each says something else",
      (n: number) => `[LAP ${n}/40] ${"lists tests names types links pages files texts".split(" ")[n - 1]} are open`,
    ],
  ])("unless %s", (_, push) => expect(rungsOf(pushed(push))).toEqual({}));
});

it("a complaint about the form of an answer is the same however long the answers are", () => {
  const thought = (i: number) =>
    `${excuses[i]} ${"The query of the month joins both tables and divides one sum by the other. ".repeat(4)}`;
  const complaint = heard("Observation: Invalid Format: Missing 'Action:' after 'Thought:'");
  const parts = [heard("Which shop sold most?"), ...times(8, (i) => [said(thought(i)), complaint]).flat()];
  expect(rungsOf(parts)).toEqual({ nudge: 4, "force-done": 6, "short-circuit": 7 });
});

const waiting = (act: (i: number) => Part, answer: string, notice: (i: number) => string): readonly Part[] =>
  times(28, (i) => [act(i), said(answer), heard(notice(i))]).flat();

describe("a run that is woken by its own timers, and starts the next, waits as others do", () => {
  const sleep = (i: number) =>
    call(
      "Bash",
      { command: `sleep ${60 + 30 * (i % 3)}`, run_in_background: true },
      `Running in background with ID: b${i}x`,
    );

  it.each([
    [
      "a record in tags",
      waiting(
        sleep,
        "Waiting.",
        (i) => `<task-notification>\n<task-id>b${i}x</task-id>\n<status>completed</status>\n</task-notification>`,
      ),
    ],
  ])("%s", (_, parts) => expect(rungsOf(parts)).toEqual({ nudge: 5, "force-done": 20, "short-circuit": 21 }));

  it.each([
    [
      "is asked to look by each of them",
      waiting(
        () => call("check_queue", {}, "The queue is empty, no job waits for a review today"),
        "Nothing new.",
        (i) => `[beat ${i}] Check the queue.`,
      ),
    ],
    [
      "hears something else each time",
      waiting(
        sleep,
        "Waiting.",
        (i) => `[automated] agent ${"abcdefghijklmnopqrstuvwxyzäö"[i]} has finished its survey`,
      ),
    ],
  ])("unless it %s", (_, parts) => expect(rungsOf(parts)).toEqual({}));
});
