import { describe, expect, it } from "vitest";
import { goalChangeOf, signGoalScore, takeIn, withJudgement } from "../../src/goal-judge/goal-judge.ts";
import { sign } from "../support/builders/detection.ts";
import { call, conversation } from "../support/builders/steps.ts";
import { play, termsWith, type Turn, verdict } from "./plan.ts";

const dialog = 'A dialog "New entry" with a name field.';
const start: Turn = {
  step: call("click", { element: "a" }, "The list of entries."),
  verdict: { distance: 3, before: 1 },
};
const look = (page: string): Turn => ({ step: call("snapshot", {}, page) });
const left = { distance: 3, unexplored: ["another name"] };

/** What is said after the last of these turns. */
function last(turns: readonly Turn[]) {
  const at = play(turns).at(-1);
  return at && goalChangeOf(at.decision, at.history, at.told, sign);
}

describe("news of an action to undo", () => {
  it("speaks of that action and of the step that was judged, by how long ago they were", () => {
    const turns: Turn[] = [
      ...[start, { step: call("click", { element: "New" }, dialog), verdict: left }],
      ...[{ step: call("type", { text: "Ann" }, "Ann is taken."), verdict: { distance: 3 } }, look("Ann is taken.")],
    ];
    // In the turn of the third step it is told; this is what is told then.
    const at = play(turns.slice(0, 3)).at(-1);
    expect(at && goalChangeOf({ kind: "revert", of: 2 }, at.history, at.told, sign)).toMatchObject({
      ago: 1,
      judgedAgo: 0,
    });
  });

  it("says that it stands as long as its own state is shown", () => {
    const stalled: Turn = { step: call("type", { text: "Ann" }, "Name: Ann, as typed."), verdict: { distance: 3 } };
    expect(last([start, stalled])?.course).toMatchObject({ type: "text", stands: true });
  });

  it.each([
    { name: "covers what was tried in it", step: call("click", { element: "New" }, dialog), stands: true },
    { name: "does not", step: call("type", { text: "Ann" }, "Name: Ann, as typed."), stands: undefined },
  ])("says so after a try only where it $name", ({ step, stands }) => {
    const tried: Turn = {
      step: call("click", { element: "OK" }, "The name is taken, says the form."),
      verdict: { distance: 3 },
    };
    const goalChange = last([start, { step, verdict: left }, tried]);
    expect(goalChange).toMatchObject({ kind: "revert", ago: 1 });
    expect(goalChange?.course.stands).toBe(stands);
  });
});

it("a judgement that comes after a later one, or of a step that nobody knows, changes nothing", () => {
  const told = conversation([
    start.step,
    call("click", { element: "b" }, "The second page."),
    call("click", {}, "The third."),
  ]);
  const taken = takeIn(undefined, told, termsWith());
  const judge = (key: string) => signGoalScore(key, verdict({ distance: 5 }), sign).judgement;
  const second = withJudgement(taken, judge(taken.keys[1] ?? ""));
  expect(second.judged?.of).toBe(2);
  expect(withJudgement(second, judge(taken.keys[0] ?? ""))).toBe(second);
  expect(withJudgement(second, judge("unknown"))).toBe(second);
});
