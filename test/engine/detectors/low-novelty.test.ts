import { describe, expect, it } from "vitest";
import { countsOf } from "../../support/builders/detection.ts";
import { call, heard, type Part, times } from "../../support/builders/steps.ts";

const counts = (parts: readonly Part[]) => countsOf("low-novelty", parts);
/** The same six looks in an order without rhythm. */
const wander = (count: number) =>
  times(count, (i) => call("look", { at: (i * i + (i >> 2)) % 6 }, `thing ${(i * i + (i >> 2)) % 6}`));

describe("counts what was known already among the last 24 calls", () => {
  it("a run that wanders among the same few places is counted", () => {
    expect(Number(counts(wander(30))[0])).toBeGreaterThanOrEqual(18);
  });

  it.each([
    { name: "a walk finds something new each time", parts: times(40, (i) => call("look", { at: i }, `thing ${i}`)) },
    { name: "the same places look different", parts: times(40, (i) => call("look", { at: i % 6 }, `thing ${i}`)) },
    {
      name: "a change landed meanwhile",
      parts: [...wander(30), call("edit", { line: 1 }, "File edited."), ...wander(8)],
    },
    { name: "a user spoke meanwhile", parts: [...wander(30), heard("Now look for the red one."), ...wander(8)] },
    { name: "a poll is no look around", parts: times(30, () => call("job_status", {}, "running")) },
  ])("nothing is counted when $name", ({ parts }) => expect(counts(parts)).toEqual([]));
});
