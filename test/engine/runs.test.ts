import { describe, expect, it } from "vitest";
import { storyOf } from "../support/builders/detection.ts";
import { call, conversation, heard, type Part, said, times } from "../support/builders/steps.ts";

function rungsOf(parts: readonly Part[], system?: string): Readonly<Record<string, number>> {
  const rungs: Record<string, number> = {};
  for (const line of storyOf(conversation(parts, system))) {
    const [, rung = "", count] = /^(\S+) .* x(\d+) at/.exec(line) ?? [];
    rungs[rung] ??= Number(count);
  }
  return rungs;
}

const run = (i: number) =>
  call("bash", { command: "npx vitest run upload" }, `PASS test/upload.test.ts (1 test) 1.${20 + ((i * 37) % 60)}s`);
const fails = () => call("bash", { command: "npx vitest run upload" }, "FAIL upload: expected 1 to be 2", true);
const climbs = { nudge: 3, "force-done": 5, "short-circuit": 6 };

describe("a run that was asked for by a number is left alone for so many, and no more", () => {
  it.each([20, 100])("%d times, beyond what a window holds, too", (count) => {
    const wish = heard(`Run the upload test ${count} times and tell me how often it fails.`);
    expect(rungsOf([wish, ...times(count, run)])).toEqual({});
    expect(rungsOf([wish, ...times(count + 10, run)])).toMatchObject(climbs);
  });

  it("with all that a round has", () => {
    const wish = "Measure both settings in turn, three rounds each, because the bench drifts.";
    const set = (value: number) => call("replace", { path: "conf.h", old: 20 - value, new: value }, "Saved conf.h.");
    const bench = (value: number) => call("bash", { command: "bench" }, `noise of setting ${value} is small`);
    const round = [bench(4), set(16), bench(16), set(4)];
    expect(rungsOf([heard(wish), ...times(3, () => round).flat()])).toEqual({});
    expect(rungsOf([heard(wish), ...times(7, () => round).flat()])).not.toEqual({});
  });
});

describe("a run that was asked for without a number leads to a word at most, and late", () => {
  const flaky = "The upload test is flaky. Run it again and again until it fails, then show me the log.";
  const watch = () => [call("sleep", { seconds: 60 }, "ok"), call("get_status", { id: 7 }, "status: waiting")];

  it.each<readonly [name: string, parts: readonly Part[], system: string | undefined]>([
    ["until it fails", [heard(flaky), ...times(50, run)], undefined],
    ["every minute", [heard("Check the status of job 7 every minute."), ...times(50, watch).flat()], undefined],
  ])("%s", (_, parts, system) => expect(Object.keys(rungsOf(parts, system))).toEqual(["nudge"]));

  it("unless nothing is to be done until then, or it has failed for good", () => {
    expect(rungsOf([heard("Is the shop open until 8 pm?"), ...times(8, run)])).toMatchObject(climbs);
    const failed = rungsOf([heard("Run the upload test until it fails."), ...times(8, fails)]);
    expect(failed).toMatchObject({ nudge: 3, "force-done": 4 });
  });
});

const names = "Abel Bruns Costa Drew Eder Funk Graf Holm Imhof Jahn Kurz Lang Mohr Nagy Otto Paul".split(" ");
const screened = (all: readonly string[]) =>
  all.map((name) => call("check_sanctions", { name }, "No matches found in the sanctions lists."));
const wish = heard("Screen every client.");
const clients = `Clients: ${names.join(", ")}`;

it("a list is worked through, however alike the answers are: one of the system text, and no further than it goes", () => {
  expect(rungsOf([wish, ...screened(names)], clients)).toEqual({});
  expect(rungsOf([wish, ...screened(names)])).not.toEqual({});
  expect(rungsOf([wish, ...screened(names), ...screened(names.slice(0, 12))], clients)).not.toEqual({});
});

it("a queue that is worked through, item by item, is never ended", () => {
  const item = (i: number) => `t-${(i * 7_919 + 104_729).toString(16)}x`;
  const handled = (i: number) => [
    call("claim_next_task", {}, `Claimed task ${item(i)}: make a thumbnail for the gallery`),
    call("process_task", { id: item(i) }, `Task ${item(i)} was processed and stored`),
  ];
  expect(rungsOf(times(31, handled).flat())).toEqual({ nudge: 3 });
});

it("a person who is asked before each deletion is asked to the end", () => {
  const consent = (i: number) => {
    const why = i % 2 ? "" : " and has not been opened for a long time";
    const question = `May I delete the folder with the ${nouns[i]}? It takes up a lot of space on your disk${why}.`;
    return call("ask_user_question", { question }, i % 3 ? "yes" : "no");
  };
  const nouns =
    "photos videos backups logs drafts copies songs scans maps games fonts mails notes plans books tapes films sheets icons".split(
      " ",
    );
  expect(rungsOf(times(nouns.length, consent))).not.toHaveProperty("force-done");
});

const excuses = [
  ...["All work is complete; there is nothing further to continue.", "As said, the task is done."],
  ...["There is no active task. The work is finished.", "Everything asked for has been done already."],
  ...["Nothing remains. The test was added and is green.", "I have no open work on this; the change is in place."],
  ...["The request has been met, so I stop here.", "No further step is needed from my side."],
];
const stopped = { nudge: 4, "force-done": 6, "short-circuit": 7 };

const pushed = (push: (round: number) => string): readonly Part[] => [
  heard("Add the missing test."),
  call("write", { path: "t.ts", content: "test" }, "File written."),
  said("The test is there and passes. Nothing is left to do."),
  ...excuses.flatMap((excuse, i) => [heard(push(i + 1)), said(excuse)]),
];

it.each<readonly [name: string, push: (n: number) => string, rungs: object]>([
  ["a hook", (n) => `Stop hook feedback:\n[DRIVE ${n}/50] The mode is on. Keep at it: Add the test.`, stopped],
  ["a sentence that counts its rounds", (n) => `Keep going, round ${n} of 40.`, stopped],
  ["unless a person asks for page after page", (n) => `Now tell me about page ${n}.`, {}],
])("a push that differs in figures and times is the same push: %s", (_, push, rungs) =>
  expect(rungsOf(pushed(push))).toEqual(rungs),
);

const woken = (act: (i: number) => Part, answer: string, notice: (i: number) => string) =>
  times(28, (i) => [act(i), said(answer), heard(notice(i))]).flat();
const sleep = (i: number) => {
  const args = { command: `sleep ${60 + 30 * (i % 3)}`, run_in_background: true };
  return call("Bash", args, `Running in background with ID: b${i}x`);
};
const record = (i: number) =>
  `<task-notification>\n<task-id>b${i}x</task-id>\n<status>completed</status>\n</task-notification>`;
const survey = (i: number) => `[automated] agent ${"abcdefghijklmnopqrstuvwxyzäö"[i]} has finished its survey`;
const queue = () => call("check_queue", {}, "The queue is empty, no job waits for a review today");

it.each<readonly [name: string, parts: readonly Part[], rungs: object]>([
  ["a record in tags", woken(sleep, "Waiting.", record), { nudge: 5, "force-done": 20, "short-circuit": 21 }],
  ["unless each asks it to look", woken(queue, "Nothing new.", (i) => `[beat ${i}] Check the queue.`), {}],
  ["unless it hears something else each time", woken(sleep, "Waiting.", survey), {}],
])("a run that is woken by its own timers, and starts the next, waits as others do: %s", (_, parts, rungs) =>
  expect(rungsOf(parts)).toEqual(rungs),
);
