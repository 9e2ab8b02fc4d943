import { describe, expect, it } from "vitest";
import { countsOf, findingsOf } from "../../support/detection.ts";
import { ask, call, heard, type Part, said, times, together } from "../../support/steps.ts";

const counts = (parts: readonly Part[]) => countsOf("repeated-call", parts);
const read = () => call("read", { path: "a" }, "the whole text of a");
const edit = (i: number) => call("edit", { path: "a", line: i }, "File edited.");
const test = () => call("run_tests", {}, "12 passed in 3.1s");

describe("counts the same turn with the same outcome", () => {
  it.each([
    { name: "once is nothing", parts: [read()], expected: [] },
    { name: "twice", parts: [read(), read()], expected: ["2"] },
    { name: "three times in a row", parts: times(3, read), expected: ["3"] },
    {
      name: "narration between does not help",
      parts: [read(), said("Let me see."), read(), said("Hm."), read()],
      expected: ["3"],
    },
    {
      name: "thinking between does not help",
      parts: [read(), call("think", { thought: "a" }, ""), read(), call("think", { thought: "b" }, ""), read()],
      expected: ["3"],
    },
    {
      name: "nor does another trace id",
      parts: times(3, (i) => call("read", { path: "a", trace_id: i }, "text of a")),
      expected: ["3"],
    },
    {
      name: "nor another clock time in the answer",
      parts: times(3, (i) => call("read", {}, `10:00:0${i} all quiet here`)),
      expected: ["3"],
    },
    {
      name: "a failing one has a ladder of its own",
      parts: times(3, () => call("read", {}, "Error: no such key")),
      expected: ["3 failing"],
    },
    {
      name: "and so has one that may pass",
      parts: times(3, () => call("read", {}, "503 Service Unavailable")),
      expected: ["3 transient"],
    },
    { name: "unanswered ones count too", parts: times(3, () => call("read", {})), expected: ["3"] },
    { name: "empty answers count too", parts: times(4, () => call("search", { q: "x" }, "")), expected: ["4"] },
    {
      name: "a parallel turn in any order",
      parts: [together(ask("a", {}, "1 x"), ask("b", {}, "2 y")), together(ask("b", {}, "2 y"), ask("a", {}, "1 x"))],
      expected: ["2"],
    },
    {
      name: "duplicates in one turn count once",
      parts: [together(...times(6, () => ask("a", {}, "1 x")))],
      expected: [],
    },
    {
      name: "with other work between, one more is needed",
      parts: [read(), call("list", {}, "a b"), read(), call("list", { all: true }, "a b c"), read(), read()],
      expected: ["3"],
    },
    {
      name: "plans whose states do not move",
      parts: times(3, (i) => call("todo_write", { todos: [{ text: `wording ${i}`, status: "pending" }] }, "ok")),
      expected: ["3"],
    },
    {
      name: "the same change though its report has another counter",
      parts: times(3, (i) =>
        call(
          "add_row",
          { v: 1 },
          `Inserted one row into table orders of database shop for user admin on the primary node, revision ${i}`,
        ),
      ),
      expected: ["3"],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

describe("starts afresh", () => {
  it.each([
    {
      name: "after another outcome",
      parts: [read(), read(), call("read", { path: "a" }, "another text of a"), read()],
      expected: [],
    },
    {
      name: "with a counter that moves",
      parts: times(5, (i) => call("next_line", {}, `main.c:${i}  x = ${i}`)),
      expected: [],
    },
    {
      name: "with other arguments",
      parts: times(5, (i) => call("read", { page: i }, "same text on each page")),
      expected: [],
    },
    { name: "tests after each edit", parts: times(12, (i) => (i % 2 === 0 ? edit(i) : test())), expected: [] },
    {
      name: "git checkout between edits",
      parts: times(9, (i) => (i % 3 === 2 ? call("bash", { command: "git checkout a" }, "") : edit(i))),
      expected: [],
    },
    {
      name: "a check after each step of the user",
      parts: times(7, () => call("get_line", {}, "Line is active.")).flatMap((step, i) => [
        step,
        heard(`I did step ${i}.`),
      ]),
      expected: [],
    },
    {
      name: "the second retry after a 503 that works",
      parts: [
        call("get", {}, "503 Service Unavailable"),
        call("get", {}, "503 Service Unavailable"),
        call("get", {}, "here it is, 12 rows"),
      ],
      expected: [],
    },
    { name: "think with equal content", parts: times(4, () => call("think", { thought: "same" }, "")), expected: [] },
    {
      name: "polls have a detector of their own",
      parts: times(4, () => call("get_status", {}, "running")),
      expected: [],
    },
    {
      name: "as often as the user asked",
      parts: [heard("Run it 4 times"), ...times(5, () => call("run", {}, "heads it is"))],
      expected: [],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

it("a new message of the user raises the bar by one and does not erase the count", () => {
  expect(counts([read(), read(), heard("And now the appendix, please."), read(), read()])).toEqual(["3"]);
});

it("a prompt to go on raises nothing, however often", () => {
  expect(counts([read(), heard("continue"), read(), heard("continue"), read()])).toEqual(["3"]);
});

it("a harness that sends its prompt again after each result is no user", () => {
  const prompt = heard("What is your next action?");
  expect(counts([prompt, read(), prompt, read(), prompt, read(), prompt])).toEqual(["3"]);
});

it("the same message sent with fresh ids in the answers", () => {
  const send = (i: number) =>
    call("send_message", { to: "ann", text: "hi" }, JSON.stringify({ ok: true, id: `m${i}` }));
  expect(counts(times(3, send))).toEqual(["3 send"]);
  expect(counts(times(3, (i) => call("send_message", { to: "ann", text: `hi ${i}` }, "ok")))).toEqual([]);
});

it("names a loop by what is done, so that its name stays as it goes on", () => {
  const names = (make: (i: number) => Part) => {
    const loops = [2, 3, 4].map((count) => findingsOf("repeated-call", times(count, make))[0]?.loop);
    return new Set(loops).size;
  };
  const report = (i: number) =>
    `Created ticket ${i} in project Alpha with priority high and owner Ann for the release of the next week.`;
  expect(names(read)).toBe(1);
  expect(names((i) => call("send_email", { to: "a" }, `sent as ${i}`))).toBe(1);
  expect(names((i) => call("create_ticket", { title: "x" }, report(i)))).toBe(1);
});

it("shows the steps it counted", () => {
  expect(findingsOf("repeated-call", [call("list", {}, "a b c"), read(), said("Hm."), read()])[0]?.evidence).toEqual([
    1, 3,
  ]);
});
