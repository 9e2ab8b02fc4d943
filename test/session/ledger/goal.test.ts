import { expect, it } from "vitest";
import type { GoalChange } from "../../../src/engine/engine.ts";
import { mergeHistory } from "../../../src/session/session.ts";
import { judgeWith, preset } from "../../support/builders/detection.ts";
import { call, conversation, numbered, times, upTo } from "../../support/builders/steps.ts";

const goalChange = (loop: string): GoalChange => ({
  ...{ kind: "revert", loop, count: 1, ago: 1, judgedAgo: 1 },
  course: { before: 3, after: 3, type: "menu", stands: true },
});
const policy = preset("local-planning");
const run = numbered(conversation(times(4, (i) => call("click", { element: i }, `Page ${i}.`))));
const told = (loop?: string) =>
  judgeWith({ policy, ...(loop !== undefined && { heed: () => ({ goalChange: goalChange(loop) }) }) });

it("what a plan's scores have led to is held against the last step of the request, and speaks of the one it is about", () => {
  const { now } = mergeHistory(undefined, upTo(run, 2), told("a"));
  expect(now).toMatchObject({
    ...{ step: 1, about: 0 },
    intervention: { detector: "goal-distance", grade: "revert", rung: "nudge", course: { type: "menu", stands: true } },
  });
});

it("the same request again is answered as before, whatever a judge has said since", () => {
  const first = mergeHistory(undefined, upTo(run, 2), told("a"));
  for (const later of [undefined, "b"]) {
    const again = mergeHistory(first.save, upTo(run, 2), told(later));
    expect(again.now).toEqual(first.now);
    expect(again.news).toBeUndefined();
  }
});
