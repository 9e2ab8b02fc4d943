import { describe, expect, it } from "vitest";
import type { DetectionSettings } from "../../../src/engine/engine.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { countsOf, findingsOf } from "../../support/builders/detection.ts";
import { ask, call, heard, type Part, said, times, together } from "../../support/builders/steps.ts";

const counts = (parts: readonly Part[]) => countsOf("repeated-call", parts);
const read = () => call("read", { path: "a" }, "the whole text of a");
const askedAgain = (text: string) => {
  const alerts = call("get_alerts", {}, "All is quiet.");
  return [...times(4, () => [alerts, said("OK"), heard(text)]).flat(), alerts];
};
const edit = (i: number) => call("edit", { path: "a", line: i }, "File edited.");
const test = () => call("run_tests", {}, "12 passed in 3.1s");

describe("counts the same turn with the same outcome", () => {
  it.each([
    { name: "three times in a row", parts: times(3, read), expected: ["3"] },
    {
      name: "thinking between does not help",
      parts: [read(), call("think", { thought: "a" }, ""), read(), call("think", { thought: "b" }, ""), read()],
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
    {
      name: "a parallel turn in any order",
      parts: [together(ask("a", {}, "1 x"), ask("b", {}, "2 y")), together(ask("b", {}, "2 y"), ask("a", {}, "1 x"))],
      expected: ["2"],
    },
    {
      name: "equal calls of one turn as often as they stand there",
      parts: [together(...times(2, () => ask("a", {}, "1 x")))],
      expected: ["2"],
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
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

describe("starts afresh", () => {
  it.each([
    {
      name: "after another outcome",
      parts: [read(), read(), call("read", { path: "a" }, "another text of a"), read()],
      expected: [],
    },
    { name: "tests after each edit", parts: times(12, (i) => (i % 2 === 0 ? edit(i) : test())), expected: [] },
    {
      name: "a blind step between others that bring news",
      parts: times(10, (i) =>
        i % 2 === 0 ? call("press", { key: "Down" }, "ok") : call("look", {}, `row ${i} of it`),
      ),
      expected: [],
    },
    {
      name: "what is asked for again after each answer",
      parts: askedAgain("Any alerts?"),
      expected: [],
    },
    {
      name: "polls have a detector of their own",
      parts: times(4, () => call("get_status", {}, "running")),
      expected: [],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

it("a new message of the user raises the bar by one and does not erase the count", () => {
  expect(counts([read(), read(), heard("And now the appendix, please."), read(), read()])).toEqual(["3"]);
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

describe("looks as a policy says", () => {
  const looking = (
    settings: Partial<DetectionSettings["repeated-call"]>,
    parts: readonly Part[],
    terms: Partial<Policy> = {},
  ) => countsOf("repeated-call", parts, { ...terms, detectors: { "repeated-call": settings } });
  const other = (i: number) => call("list", { page: i }, `page ${i}`);
  const spread = (gap: number) =>
    times(3, () => [read(), ...times(gap, (k) => other(k))])
      .flat()
      .slice(0, -gap);
  const get = (i: number) => call("get", { id: 7 }, `version ${i}`);
  const pair = (...tools: readonly string[]) => together(...tools.map((tool) => ask(tool, {}, `done ${tool}`)));

  it.each([
    { name: "within eight acts by default", settings: {}, parts: spread(2), expected: ["2"] },
    { name: "without a repeat more", settings: { gapPenalty: 0 }, parts: spread(2), expected: ["3"] },
    { name: "in a row only", settings: { window: 1, gapPenalty: 0 }, parts: spread(1), expected: [] },
    {
      name: "each within reach of the next one",
      settings: { window: 5, gapPenalty: 0, anchor: "repeat" },
      parts: spread(4),
      expected: ["3"],
    },
    { name: "with any outcome", settings: { outcome: "any" }, parts: times(3, get), expected: ["3"] },
    {
      name: "a turn as a sequence",
      settings: { order: "kept" },
      parts: [pair("a", "b"), pair("b", "a")],
      expected: [],
    },
    {
      name: "waiting like any call",
      settings: { polls: "count" },
      parts: times(3, () => call("wait", { s: 5 }, "still running")),
      expected: ["3"],
    },
  ] as const)("$name", ({ settings, parts, expected }) => expect(looking(settings, parts)).toEqual(expected));

  it("compares what a rule for all tools names, and an own rule first", () => {
    const tools = { "*": { only: ["index"] }, scroll: { only: ["to"] } };
    const parts = (tool: string) => times(3, (i) => call(tool, { index: 5, to: i }, "ok, see the page"));
    expect(looking({}, parts("click"), { tools })).toEqual(["3"]);
    expect(looking({}, parts("scroll"), { tools })).toEqual([]);
    expect(looking({}, parts("click"))).toEqual([]);
  });

  it("takes an empty argument for one left out where a rule says so", () => {
    const parts = [{ target: "#a" }, { target: "#a", value: "" }, { target: "#a", value: null }].map((args) =>
      call("click", args, "the page"),
    );
    expect(looking({}, parts, { tools: { "*": { empty: "ignored" } } })).toEqual(["3"]);
    expect(looking({}, parts)).toEqual([]);
  });
});
