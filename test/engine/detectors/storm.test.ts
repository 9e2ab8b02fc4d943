import { describe, expect, it } from "vitest";
import { inspect } from "../../../src/engine/engine.ts";
import { mergeHistory } from "../../../src/session/ledger/merge.ts";
import { countsOf, judgeWith, printOf, stored } from "../../support/builders/detection.ts";
import { ask, call, conversation, heard, said, times, together, type Part } from "../../support/builders/steps.ts";

const spawning = (count: number, round = 0) =>
  together(...times(count, (i) => ask("Task", { prompt: `look at part ${round}-${i}` }, `part ${round}-${i} is fine`)));

it.each<{ name: string; parts: readonly Part[]; counts: readonly string[] }>([
  { name: "a wide turn, too", parts: [5, 40, 90, 361].map((count, i) => spawning(count, i)), counts: ["496 agents"] },
  { name: "but not many at once", parts: [spawning(60)], counts: [] },
  {
    name: "nor those of an errand before",
    parts: [spawning(2, 0), spawning(5, 1), spawning(9, 2), heard("Now the other half."), spawning(20, 3)],
    counts: [],
  },
])("sub-agents that multiply are counted: $name", ({ parts, counts }) =>
  expect(countsOf("storm", parts)).toEqual(counts),
);

const read = (i: number) => call("read", { path: `f${i}` }, `text of ${i}`);
const write = (i: number) => call("write_file", { path: `f${i}`, content: `x${i}` }, "ok");

describe("compactions in a row are counted", () => {
  const window = times(30, (i) => printOf(read(i)));
  const countOf = (compactions: readonly number[], steps = window) =>
    inspect({ window: steps, total: steps.length, requestedRepeats: 0, elsewhere: 0, compactions }).find(
      ({ detector }) => detector === "storm",
    )?.count;

  it.each([
    { name: "a few turns apart", compactions: [14, 20, 26], count: 3 },
    { name: "but not when they are far apart", compactions: [5, 15, 25], count: undefined },
  ])("$name", ({ compactions, count }) => expect(countOf(compactions)).toBe(count));

  it("up to where a change landed, or a user spoke", () => {
    const written = window.map((print, i) => (i === 18 ? printOf(write(i)) : print));
    expect(countOf([14, 20, 26], written)).toBe(2);
    const spoken = window.map((print, i) => (i === 23 ? { ...print, heard: "user" as const } : print));
    expect(countOf([14, 20, 26], spoken)).toBeUndefined();
  });

  const story = (work: (i: number) => Part) => {
    let known: ReturnType<typeof mergeHistory>["save"];
    const parts = times(12, (i) => (i === 0 ? said("I begin.") : work(i)));
    return times(11, (i) => i + 2).flatMap((carried) => {
      const told = conversation(parts.slice(0, carried));
      for (const compacts of carried % 3 === 0 ? [false, true] : [false]) {
        const followed = mergeHistory(known, told, { ...judgeWith(), compacts });
        known = followed.save === undefined ? known : stored(followed.save);
        if (followed.news !== undefined) return [`${followed.news.rung} ${followed.news.detector} at ${carried}`];
      }
      return [];
    });
  };

  it("are remembered with the thread, and told once they are three", () => {
    expect(story(read)).toEqual(["nudge storm at 9"]);
    expect(story(write)).toEqual([]);
  });
});
