import { describe, expect, it } from "vitest";
import { countsOf, findingsOf } from "../../support/builders/detection.ts";
import { ask, call, type Part, times, together } from "../../support/builders/steps.ts";

const counts = (parts: readonly Part[]) => countsOf("consecutive-failures", parts);
const tools = ["fetch", "query", "parse", "render", "build", "deploy", "measure"];
const any = (i: number) =>
  call(tools[i % 7] ?? "x", { [`k${i}`]: `v${i}` }, `Error: reason number ${i} of ${tools[i % 7]}`);
const alike = (i: number) =>
  call("sql", { query: `select name from users where id = ${i}`, db: "main" }, "Error: no such column: name");
const fine = () => call("list", {}, "a b c");

describe("counts failing turns in a row", () => {
  it.each([
    { name: "whatever the call", parts: times(6, any), expected: ["6 any"] },
    { name: "near-identical calls too", parts: times(4, alike), expected: ["4 alike", "4 any"] },
    { name: "a success ends the streak", parts: [...times(5, any), fine(), ...times(2, any)], expected: [] },
    {
      name: "a change that landed ends it",
      parts: [...times(3, alike), call("edit", { a: 1 }, "File edited."), ...times(2, alike)],
      expected: [],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

it("keeps its name as the streak grows, and another streak has another", () => {
  const loop = (parts: readonly Part[]) => findingsOf("consecutive-failures", parts).at(-1)?.loop;
  expect(loop(times(6, any))).toBe(loop(times(5, any)));
  expect(loop([...times(6, any), fine(), ...times(5, (i) => any(i + 3))])).not.toBe(loop(times(6, any)));
});

describe("a turn with several calls", () => {
  const half = (i: number) => together(ask("a", { i }, `Error: x${i} y`), ask("b", { i }, `fine, ${i} rows`));
  const whole = (i: number) => together(ask("a", { i }, `Error: x${i} y`), ask("b", { i }, `Error: z${i} w`));
  const twice = (i: number) => together(ask("a", { i }, `Error: x${i} y`), ask("a", { i }, `Error: x${i} y`));
  const row = (turn: (i: number) => Part) => [any(0), any(1), turn(2), any(3)];
  const looking = (multi: "all" | "any" | "reset", turn: (i: number) => Part) =>
    countsOf("consecutive-failures", row(turn), { detectors: { "consecutive-failures": { multi, least: 1 } } }).filter(
      (found) => found.endsWith(" any"),
    );

  it.each([
    { name: "one failed", multi: "all", turn: half, expected: "1 any" },
    { name: "all failed", multi: "all", turn: whole, expected: "4 any" },
    { name: "one failed", multi: "any", turn: half, expected: "4 any" },
    { name: "all failed", multi: "reset", turn: whole, expected: "1 any" },
    { name: "the same call twice", multi: "reset", turn: twice, expected: "1 any" },
  ] as const)("of which $name, under $multi: $expected", ({ multi, turn, expected }) =>
    expect(looking(multi, turn)).toEqual([expected]),
  );
});
