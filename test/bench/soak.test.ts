import { describe, expect, it } from "vitest";
import { readAnswer } from "../../bench/soak/answer.ts";
import { courseOf } from "../../bench/soak/flat.ts";
import { type Expected, faultsOf, hasMissed, isLate, labelOf } from "../../bench/soak/judge.ts";
import type { Exchange, Run } from "../../bench/soak/run.ts";
import { FINAL } from "../../bench/soak/script.ts";

const RUN = "0000042";

const exchange = (fields: Partial<Exchange> = {}): Exchange => ({
  at: 0,
  ms: 10,
  firstMs: 5,
  verdict: "ok",
  ownMs: 1,
  left: undefined,
  isRetry: false,
  broken: [],
  answer: "as said",
  asked: "as sent",
  ...fields,
});

const run = (kind: string, ...exchanges: Partial<Exchange>[]): Run => ({
  kind,
  name: RUN,
  exchanges: exchanges.map((fields, index) => exchange({ ...fields, at: (exchanges[0]?.at ?? 0) + index * 100 })),
  ending: "answered",
});

const nudged = { verdict: "nudge/repeated-call", asked: "other", answer: "other" } as const;
const noted = { verdict: "ok+1", asked: "other" } as const;
const ended = { verdict: "short-circuit/repeated-call", asked: undefined, answer: "ended" } as const;

const usual = [{}, {}, nudged, noted, ended].map((fields) => labelOf(exchange(fields)));
/** By who has forgotten the first time. */
const toldAgain = { ...nudged, answer: "as said" } as const;
const without = [{}, {}, nudged, toldAgain, ended].map((fields) => labelOf(exchange(fields)));
const expected: Expected = {
  references: new Map([
    ["deaf, JSON", { usual, without }],
    ["deaf, last turn alone", { usual, without: usual.map(() => "degraded") }],
  ]),
  outages: [{ from: 10_000, until: 20_000 }],
};
const kinds = (given: Run) => faultsOf(given, expected).map(({ kind, request }) => `${kind} ${request}`);

describe("a healthy run of a soak", () => {
  it.each([
    { name: "is fine with ok", given: {}, faults: [] },
    { name: "is fine without Redis", given: { verdict: "degraded" }, faults: [] },
    { name: "may be nudged never", given: { verdict: "nudge/call-cycle" }, faults: ["wrong verdict 1"] },
    { name: "may carry no note", given: { verdict: "ok+1" }, faults: ["wrong verdict 1"] },
    { name: "is asked for as it was sent", given: { asked: "other" } as const, faults: ["changed bytes 1"] },
    { name: "is answered as the model said", given: { answer: "other" } as const, faults: ["changed bytes 1"] },
    { name: "is not ended", given: ended, faults: ["wrong verdict 1", "changed bytes 1", "changed bytes 1"] },
    { name: "has no broken answer", given: { broken: ["no [DONE]"], answer: undefined }, faults: ["broken 1"] },
    { name: "may hang up", given: { left: "before the head", verdict: "", answer: undefined } as const, faults: [] },
  ])("$name", ({ given, faults }) => expect(kinds(run("healthy, JSON", {}, given))).toEqual(faults));
});

describe("a looping run of a soak", () => {
  const late = { at: 9_950 };
  it.each([
    { name: "goes as it does on a quiet guard", steps: [{}, {}, nudged, noted, ended], faults: [] },
    { name: "must be nudged", steps: [{}, {}, {}], faults: ["wrong verdict 2"] },
    { name: "must not be nudged early", steps: [{}, nudged], faults: ["wrong verdict 1"] },
    { name: "must be ended", steps: [{}, {}, nudged, noted, noted], faults: ["wrong verdict 4"] },
    { name: "must not go on", steps: [{}, {}, nudged, noted, ended, {}], faults: ["wrong verdict 5"] },
    { name: "is not told twice", steps: [{}, {}, nudged, nudged], faults: ["wrong verdict 3"] },
    {
      name: "may be told twice when that was forgotten",
      steps: [late, {}, nudged, toldAgain, ended],
      faults: [],
    },
    { name: "is ended whatever was forgotten", steps: [late, {}, nudged, noted, {}], faults: ["wrong verdict 4"] },
  ])("$name", ({ steps, faults }) => expect(kinds(run("deaf, JSON", ...steps))).toEqual(faults));

  it("that the store alone can tell of may be stopped later, never earlier, when that was away", () => {
    const missed = { at: 9_950, verdict: "degraded" };
    expect(kinds(run("deaf, last turn alone", missed, {}, {}, {}, nudged, ended))).toEqual([]);
    expect(kinds(run("deaf, last turn alone", missed, nudged, ended))).toEqual(["wrong verdict 1", "wrong verdict 2"]);
    expect(kinds(run("deaf, last turn alone", {}, {}, {}))).toEqual(["wrong verdict 2"]);
  });
});

it("counts a store that is there and is not used", () => {
  const [calm, away] = [exchange({ verdict: "degraded", at: 500 }), exchange({ verdict: "degraded", at: 15_000 })];
  expect([calm, away, exchange()].map((one) => isLate(one, expected.outages))).toEqual([true, false, false]);
});

it.each([
  { name: "ended before", at: 9_000, is: false },
  { name: "was under way when it began", at: 9_995, is: true },
  { name: "began within", at: 15_000, is: true },
  { name: "began afterwards", at: 20_001, is: false },
])("a run that $name has missed an outage: $is", ({ at, is }) =>
  expect(hasMissed(run("deaf, JSON", { at }), expected.outages)).toBe(is),
);

describe("a stream", () => {
  const chunk = (delta: object, end: string | null = null, id = `chatcmpl-${RUN}_1`) =>
    `data: ${JSON.stringify({ id, choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`;
  const head = { index: 0, id: `call_${RUN}_2`, type: "function", function: { name: "search", arguments: "" } };
  const args = (text: string) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] });
  const [first, last] = [chunk({ role: "assistant", content: "Now." }), chunk({}, "tool_calls")];
  const call = chunk({ tool_calls: [head] });
  const done = "data: [DONE]\n\n";

  it("is put together", () => {
    const read = readAnswer([first, call, args('{"q"'), args(":1}"), last, done].join(""), true, RUN);
    const calls = [{ id: head.id, type: "function", function: { name: "search", arguments: '{"q":1}' } }];
    expect(read).toEqual({ message: { content: "Now.", calls }, wrong: undefined });
  });

  it.each([
    { name: "lacks its end", events: [first, call, args("{}"), last] },
    { name: "has its end twice", events: [first, call, args("{}"), last, done, done] },
    { name: "ends within an event", events: [first, call, args("{}"), last, "data: [DONE]\n"] },
    { name: "never finishes", events: [first, call, args("{}"), done] },
    { name: "finishes twice", events: [first, call, args("{}"), last, last, done] },
    { name: "has arguments cut short", events: [first, call, args('{"q"'), last, done] },
    { name: "begins a call in its middle", events: [first, args("{}"), last, done] },
    { name: "says it stops, and calls", events: [first, call, args("{}"), chunk({}, "stop"), done] },
    { name: "changes its id", events: [first, call, args("{}"), chunk({}, "tool_calls", `chatcmpl-${RUN}_9`), done] },
    { name: "has broken JSON", events: [first, "data: {\n\n", call, args("{}"), last, done] },
    {
      name: "is another run's",
      events: [first, call, args("{}"), last, done].map((text) => text.replaceAll(RUN, "0000043")),
    },
  ])("that $name is broken", ({ events }) => expect(readAnswer(events.join(""), true, RUN).wrong).toBeTypeOf("string"));
});

describe("JSON", () => {
  const payload = (message: object, end = "stop", id = `chatcmpl-${RUN}_1`) =>
    JSON.stringify({ id, choices: [{ index: 0, message, finish_reason: end }] });

  it.each([
    { name: "of the model's is fine", text: payload({ content: FINAL }), wrong: false },
    {
      name: "of the guard's own is fine",
      text: payload({ content: "The search was repeated without progress." }, "stop", "chatcmpl-x"),
      wrong: false,
    },
    { name: "with nothing in it is broken", text: payload({ content: null }), wrong: true },
    { name: "that is cut is broken", text: payload({ content: FINAL }).slice(0, -1), wrong: true },
    {
      name: "of another run is broken",
      text: payload({ content: FINAL }, "stop", "chatcmpl-0000043_1"),
      wrong: true,
    },
  ])("$name", ({ text, wrong }) => expect(readAnswer(text, false, RUN).wrong !== undefined).toBe(wrong));
});

it("compares the last third of a course with the middle one, and leaves out how it began", () => {
  const at = (value: (minute: number) => number) =>
    Array.from({ length: 30 }, (_, minute) => [minute, value(minute)] as const);
  const plateau = courseOf(at((minute) => Math.min(minute, 10) * 5));
  expect([plateau.middle, plateau.last, plateau.perHour]).toEqual([50, 50, 0]);
  const leak = courseOf(at((minute) => 20 + minute));
  expect(leak.last - leak.middle).toBe(10);
  expect(leak.perHour).toBeCloseTo(60);
});
