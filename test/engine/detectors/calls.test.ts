import { describe, expect, it } from "vitest";
import { type DetectionSettings, inspect } from "../../../src/engine/engine.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { countsOf, findingsOf, printOf } from "../../support/builders/detection.ts";
import { ask, call, heard, type Part, said, times, together } from "../../support/builders/steps.ts";

type Row = readonly [name: string, parts: readonly Part[], counts: readonly string[]];

const read = () => call("read", { path: "a" }, "the whole text of a");
const edit = (i: number) => call("edit", { path: "a", line: i }, "File edited.");
const list = (i: number) => call("list", { page: i }, `page ${i}`);
const fails = (text: string) => times(3, () => call("read", {}, text));
const think = (thought: string) => call("think", { thought }, "");

describe("repeated-call: the same turn with the same outcome", () => {
  const [a, b] = [ask("a", {}, "1 x"), ask("b", {}, "2 y")];

  it.each<Row>([
    ["three times in a row, thoughts between or not", [read(), think("a"), read(), think("b"), read()], ["3"]],
    ["a failing one has a ladder of its own", fails("Error: no such key"), ["3 failing"]],
    ["and so has one that may pass", fails("503 Service Unavailable"), ["3 transient"]],
    ["a parallel turn in any order", [together(a, b), together(b, a)], ["2"]],
    ["equal calls of one turn as often as they stand there", [together(a, a)], ["2"]],
    ["with other work between, one more is needed", [read(), list(1), read(), list(2), read(), read()], ["3"]],
    ["a new message of the user raises the bar by one", [read(), read(), heard("And b?"), read(), read()], ["3"]],
    ["not after another outcome", [read(), read(), call("read", { path: "a" }, "another text of a"), read()], []],
    ["nor tests after each edit", times(12, (i) => (i % 2 ? call("run_tests", {}, "12 passed in 3 s") : edit(i))), []],
    ["nor polls", times(4, () => call("get_status", {}, "running")), []],
  ])("%s", (_, parts, counts) => expect(countsOf("repeated-call", parts)).toEqual(counts));

  it("names a loop by what is done, so that its name stays as it goes on, and shows the steps it counted", () => {
    const names = (make: (i: number) => Part) =>
      new Set([2, 3, 4].map((count) => findingsOf("repeated-call", times(count, make))[0]?.loop)).size;
    const ticket = (i: number) =>
      `Created ticket ${i} in project Alpha with priority high and owner Ann for next week.`;
    expect(names(read)).toBe(1);
    expect(names((i) => call("create_ticket", { title: "x" }, ticket(i)))).toBe(1);
    expect(findingsOf("repeated-call", [list(1), read(), said("Hm."), read()])[0]?.evidence).toEqual([1, 3]);
  });

  const looking = (
    settings: Partial<DetectionSettings["repeated-call"]>,
    parts: readonly Part[],
    terms: Partial<Policy> = {},
  ) => countsOf("repeated-call", parts, { ...terms, detectors: { "repeated-call": settings } });
  const spread = (gap: number) =>
    times(3, () => [read(), ...times(gap, list)])
      .flat()
      .slice(0, -gap);
  const versions = times(3, (i) => call("get", { id: 7 }, `version ${i}`));

  it.each<[string, Partial<DetectionSettings["repeated-call"]>, readonly Part[], readonly string[]]>([
    ["within eight acts by default", {}, spread(2), ["2"]],
    ["each within reach of the next one", { window: 5, gapPenalty: 0, anchor: "repeat" }, spread(4), ["3"]],
    ["with any outcome", { outcome: "any" }, versions, ["3"]],
    ["a turn as a sequence", { order: "kept" }, [together(a, b), together(b, a)], []],
  ])("looks as a policy says: %s", (_, settings, parts, counts) => expect(looking(settings, parts)).toEqual(counts));
});

describe("call-cycle: laps", () => {
  const open = () => call("open", { page: "cart" }, "Cart: two items");
  const back = () => call("go_back", {}, "Shop: front page");
  const look = (i: number) => call("look", { at: i }, `There is thing number ${i} here`);
  const lap = () => [open(), back()];
  const laps = (count: number, make: () => readonly Part[]) => times(count, make).flat();
  const priced = () => [call("sleep", { s: 5 }, "slept 5 s"), call("get_price", {}, "It is 10 today.")];
  const noisy = (i: number) => [call("open", { page: "cart" }, `Cart: two items wait, request ${i * 7}a`), back()];
  const failing = () => call("fetch", { url: "u" }, "Error: no route to u");

  const tune = (rate: (i: number) => string) => (i: number) => [
    call("set_rate", { rate: 10 + i * 3 }, "saved"),
    call("train", {}, `${"the model was trained with the rate that is set, and told ".repeat(3)}${rate(i)}`),
  ];
  const upload = (i: number) => [
    call("create_upload", { file: "report.pdf" }, `Upload up-${7013 + i * 977}x was created`),
    call("finish_upload", { id: `up-${7013 + i * 977}x` }, "It cannot be finished: the checksum does not match"),
  ];

  it.each<Row>([
    ["made again with an id that has come, and refused again", times(3, upload).flat(), ["3 renewed"]],
    [
      "with another value, and the same at length",
      times(
        4,
        tune(() => "nothing"),
      ).flat(),
      ["3 renewed"],
    ],
    [
      "but not to measure what a value makes",
      times(
        6,
        tune((i) => `0.8${13 + i * 7} of it`),
      ).flat(),
      [],
    ],
    ["three of two, entered in the middle", [back(), ...laps(3, lap)], ["3"]],
    ["in no order", [open(), back(), back(), open(), open(), open(), back()], ["3"]],
    ["a user who speaks in between raises the bar by one", [...laps(2, lap), heard("Look."), ...laps(2, lap)], ["3"]],
    ["whose answers differ in what is noise", times(3, noisy).flat(), ["3"]],
    ["not one call in a row", times(6, open), []],
    ["nor sleep and look, while it runs", laps(6, priced), []],
    ["nor one call again and again, once another", [...times(3, open), back(), ...times(3, open)], []],
    ["a failing call that comes back", [failing(), look(1), failing(), look(2), failing()], ["3 failing"]],
    ["but not behind a change that landed", [failing(), look(1), failing(), edit(1), failing()], []],
  ])("%s", (_, parts, counts) => expect(countsOf("call-cycle", parts)).toEqual(counts));

  it("names the call that repeats, not another that failed beside it", () => {
    const turn = (i: number) =>
      together(ask("other", { i }, `Error: other reason ${i}`), ask("fetch", { url: "u" }, "Error: no route to u"));
    const found = [3, 4].map((count) => findingsOf("call-cycle", times(count, turn))[0]);
    expect(found[1]).toMatchObject({ grade: "failing", count: 4, note: expect.stringMatching(/^fetch:/) });
    expect(found[1]?.loop).toBe(found[0]?.loop);
  });
});

describe("consecutive-failures: failing turns in a row", () => {
  const tools = ["fetch", "query", "parse", "render", "build", "deploy", "measure"];
  const any = (i: number) => call(tools[i % 7] ?? "", { [`k${i}`]: `v${i}` }, `Error: reason ${i} of ${tools[i % 7]}`);
  const alike = (i: number) =>
    call("sql", { query: `select name from users where id = ${i}`, db: "main" }, "Error: no such column: name");

  it.each<Row>([
    ["whatever the call", times(6, any), ["6 any"]],
    ["near-identical calls too", times(4, alike), ["4 alike", "4 any"]],
    ["a success ends the streak", [...times(5, any), list(1), ...times(2, any)], []],
    ["a change that landed ends it", [...times(3, alike), edit(1), ...times(2, alike)], []],
  ])("%s", (_, parts, counts) => expect(countsOf("consecutive-failures", parts)).toEqual(counts));

  it("keep their name as they grow, and others have another", () => {
    const loop = (parts: readonly Part[]) => findingsOf("consecutive-failures", parts).at(-1)?.loop;
    expect(loop(times(6, any))).toBe(loop(times(5, any)));
    expect(loop([...times(6, any), list(1), ...times(5, (i) => any(i + 3))])).not.toBe(loop(times(6, any)));
  });

  const [x, y, fine] = [ask("a", {}, "Error: x y"), ask("b", {}, "Error: z w"), ask("b", {}, "fine, 2 rows")];
  it.each([
    ["one failed", "all", together(x, fine), "1 any"],
    ["all failed", "all", together(x, y), "4 any"],
    ["one failed", "any", together(x, fine), "4 any"],
    ["all failed", "reset", together(x, y), "1 any"],
    ["the same call failed twice", "reset", together(x, x), "1 any"],
  ] as const)("of a turn of which %s, under %s", (_, multi, turn, counted) => {
    const detectors = { "consecutive-failures": { multi, least: 1 } };
    const counts = countsOf("consecutive-failures", [any(0), any(1), turn, any(3)], { detectors });
    expect(counts.filter((found) => found.endsWith(" any"))).toEqual([counted]);
  });
});

const status = (text = "running") => call("job_status", { id: 7 }, text);
const sleep = () => call("sleep", { seconds: 30 }, "");
const tail = { command: "sleep 60; tail -n 3 train.log" };

it.each<Row>([
  ["sleeping between is part of waiting", times(5, () => [sleep(), status()]).flat(), ["5"]],
  ["a shell that sleeps before it looks", times(5, () => call("bash", tail, "epoch 3 loss 0.4")), ["5"]],
  ["not failures", times(5, () => [sleep(), call("get", {}, "Error: no such key")]).flat(), []],
  ["nor behind a word of the user", [...times(3, () => status()), heard("Check again, I restarted."), status()], []],
])("unchanged-poll: looks at what does not change: %s", (_, parts, counts) =>
  expect(countsOf("unchanged-poll", parts)).toEqual(counts),
);

describe("without steps of its own", () => {
  const nothing = { window: [], total: 0, requestedRepeats: 0, elsewhere: 0 };

  it("budget finds each kind that is counted, steps that left the window included, and no other", () => {
    const long = times(100, (i) => (i % 2 === 0 ? said(`${i}`) : call("a", { i }, "b")));
    expect(countsOf("budget", long)).toEqual(["100 steps"]);
    const usage = { tokens: 1200, cost: 1_250_000, seconds: 0 };
    expect(inspect({ ...nothing, usage }).map(({ loop, count, note }) => [loop, count, note])).toEqual([
      ["budget:steps", 0, "0 steps taken"],
      ["budget:tokens", 1200, "1200 tokens used"],
      ["budget:cost", 1_250_000, "cost of 1.25"],
      ["budget:seconds", 0, "0 seconds passed"],
    ]);
  });

  it.each<[string, readonly number[], number | undefined, seconds?: number]>([
    ["all within the minute before the last count", [41, 60, 99, 100], 4],
    ["a last one after a minute begins anew", [1, 2, 3, 4, 5, 100], undefined],
    ["as far back as the policy says", [1, 50, 100], 3, 100],
  ])("retry-storm: %s", (_, arrivals, count, seconds) => {
    const settings = seconds === undefined ? {} : { "retry-storm": { seconds } };
    const found = inspect({ ...nothing, window: [printOf(read())], total: 9, arrivals }, settings);
    expect(found.find(({ detector }) => detector === "retry-storm")?.count).toBe(count);
  });
});
