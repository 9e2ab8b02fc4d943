import { describe, expect, it } from "vitest";
import { countsOf, findingsOf } from "../../support/builders/detection.ts";
import { ask, call, heard, type Part, times, together } from "../../support/builders/steps.ts";

const counts = (parts: readonly Part[]) => countsOf("call-cycle", parts);
const open = () => call("open", { page: "cart" }, "Cart: two items");
const back = () => call("go_back", {}, "Shop: front page");
const look = (i: number) => call("look", { at: i }, `There is thing number ${i} here`);
const lap = () => [open(), back()];
const laps = (count: number, make: () => readonly Part[]) => times(count, make).flat();
const makes = (id: string, when = "at noon") =>
  call("create_event", { title: `Visit of the auditors ${when}` }, `{"id":"${id}","title":"Visit of the auditors"}`);
const deletes = (id: string) => call("delete_event", { id }, `{"deleted":"${id}"}`);

describe("counts laps", () => {
  it.each([
    { name: "one lap is nothing", parts: lap(), expected: [] },
    { name: "three laps of two", parts: laps(3, lap), expected: ["3"] },
    { name: "entered in the middle", parts: [back(), ...laps(3, lap)], expected: ["3"] },
    { name: "in no order", parts: [open(), back(), back(), open(), open(), open(), back()], expected: ["3"] },
    {
      name: "three turns in no order",
      parts: [look(1), look(2), look(2), look(3), look(1), look(3), look(2), look(1), look(3)],
      expected: ["3"],
    },
    { name: "a long lap and a half", parts: [...laps(2, () => times(6, look)), ...times(3, look)], expected: ["3"] },
    {
      name: "what was made is deleted, and made again under another id",
      parts: [...times(3, (i) => [makes(`k${i}7`), deletes(`k${i}7`)]).flat(), makes("k97")],
      expected: ["3"],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

describe("is no cycle", () => {
  it.each([
    { name: "one call in a row", parts: times(6, open), expected: [] },
    {
      name: "sleep and look, while it runs",
      parts: laps(6, () => [call("sleep", { s: 5 }, "slept 5 s"), call("get_price", {}, "It is 10 today.")]),
      expected: [],
    },
    {
      name: "one call again and again, once another",
      parts: [...times(3, open), back(), ...times(3, open)],
      expected: [],
    },
    {
      name: "one call that was heeded, then another",
      parts: [...times(4, () => look(1)), look(2), look(2)],
      expected: ["2"],
    },
    {
      name: "jobs that are looked at in no order",
      parts: ["a", "b", "b", "a", "a", "b"].map((job) => call("get_job_status", { job }, "queued")),
      expected: [],
    },
    {
      name: "what was made is deleted, and made otherwise",
      parts: times(4, (i) => [makes(`k${i}7`, `in week ${["ten", "two", "six", "one"][i]}`), deletes(`k${i}7`)]).flat(),
      expected: [],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

it("a user who speaks in between raises the bar by one", () => {
  expect(counts([...laps(2, lap), heard("Look at the shop again."), ...laps(2, lap)])).toEqual(["3"]);
});

it("counts laps whose answers differ in what is noise", () => {
  const noisy = (i: number) => [
    call("open", { page: "cart" }, `Cart: two items are waiting for you in the cart, request ${i * 7 + 31}a`),
    back(),
  ];
  expect(counts(times(3, noisy).flat())).toEqual(["3"]);
});

describe("counts a failing call that comes back among other work", () => {
  const failing = () => call("fetch", { url: "u" }, "Error: no route to u");
  it.each([
    { name: "three times", parts: [failing(), look(1), failing(), look(2), failing()], expected: ["3 failing"] },
    {
      name: "a change that landed between starts it afresh",
      parts: [failing(), look(1), failing(), call("edit", { a: 1 }, "File edited."), failing()],
      expected: [],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));

  it("names the call that repeats, not another that failed beside it", () => {
    const turn = (i: number) =>
      together(ask("other", { i }, `Error: other reason ${i}`), ask("fetch", { url: "u" }, "Error: no route to u"));
    const found = [3, 4].map((count) => findingsOf("call-cycle", times(count, turn))[0]);
    expect(found[1]).toMatchObject({ grade: "failing", count: 4 });
    expect(found[1]?.note).toMatch(/^fetch:/);
    expect(found[1]?.loop).toBe(found[0]?.loop);
  });
});
