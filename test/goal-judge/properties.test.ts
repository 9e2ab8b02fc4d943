import fc from "fast-check";
import { expect, it } from "vitest";
import { decideOnGoal, goalChangeOf, goalScoreIn } from "../../src/goal-judge/goal-judge.ts";
import { redacted } from "../../src/goal-judge/prompt.ts";
import { sign } from "../support/builders/detection.ts";
import { call } from "../support/builders/steps.ts";
import { play, standardPlanning, type Turn } from "./plan.ts";

const step = fc
  .record({
    tool: fc.constantFrom("click", "type", "snapshot", "open_app"),
    element: fc.constantFrom("checkbox", "New", "menu"),
    page: fc.constantFrom(
      "ok",
      "A dialog with a question in it.",
      "The first page of all.",
      "Error: not found",
      "Page two of the list.",
    ),
  })
  .map(({ tool, element, page }) => call(tool, { element }, page));
const verdict = fc.record({
  distance: fc.double({ min: 0, max: 10, noNaN: true }),
  before: fc.option(fc.double({ min: 0, max: 10, noNaN: true }), { nil: undefined }),
  met: fc.boolean(),
  reachable: fc.boolean(),
  unexplored: fc.option(fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 }), { nil: undefined }),
});
const turns: fc.Arbitrary<Turn[]> = fc.array(fc.oneof(fc.record({ step }), fc.record({ step, verdict })), {
  minLength: 1,
  maxLength: 40,
});

it("whatever is done and said, a plan stays bounded, can be kept, and its decision follows from what was kept", () => {
  fc.assert(
    fc.property(turns, (plan) => {
      for (const { history, told } of play(plan, {})) {
        expect(history.nodes.length).toBeLessThanOrEqual(32);
        expect(JSON.parse(JSON.stringify(history))).toEqual(history);
        for (const { explored, options } of history.nodes) expect(explored).toBeLessThanOrEqual(options.length);
        const decision = decideOnGoal(history, standardPlanning);
        const goalChange = goalChangeOf(decision, history, told, sign);
        expect(goalChange?.kind).toBe(decision.kind === "retain" ? undefined : decision.kind);
      }
    }),
  );
});

it("no answer and no text breaks what reads it", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((json) => `\`\`\`${json}\`\`\`{"distance": 3}`),
      ),
      (text) => {
        const read = goalScoreIn(text);
        if (read !== undefined) expect(read.distance >= 0 && read.distance <= 10).toBe(true);
        expect(redacted(redacted(text))).toBe(redacted(text));
      },
    ),
  );
});
