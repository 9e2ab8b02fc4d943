import { describe, expect, it } from "vitest";
import { call, times } from "../support/builders/steps.ts";
import { decideOnGoal, signGoalScore, withJudgement } from "../../src/goal-judge/goal-judge.ts";
import { sign } from "../support/builders/detection.ts";
import { decisions, play, standardPlanning, type Turn, verdict } from "./plan.ts";

/** An action that leads to a page of its own. */
const act = (name: string, page = `The page after ${name}, with all that belongs to it.`) =>
  call("click", { element: name }, page);
const turn = (name: string, verdict?: Turn["verdict"], page?: string): Turn => ({
  step: act(name, page),
  ...(verdict && { verdict }),
});
const start = turn("start", { distance: 3, before: 1 });
const words = (turns: readonly Turn[], planning = {}) =>
  decisions(turns, planning).map((decision) =>
    "why" in decision ? `${decision.kind} ${decision.why}` : decision.kind,
  );

describe("what becomes of the latest action", () => {
  it.each([
    { name: "is the end where the goal is met", last: { distance: 10, met: true }, becomes: "met" },
    { name: "is to stay after progress", last: { distance: 3.6 }, becomes: "retain progress" },
    { name: "is to stay after little progress", last: { distance: 3.5 }, becomes: "retain slight" },
    {
      name: "is to stay with another try where something is left",
      last: { distance: 3, unexplored: ["OK"] },
      becomes: "option",
    },
    { name: "is the same where the score has fallen", last: { distance: 2, unexplored: ["OK"] }, becomes: "option" },
    { name: "is to be undone where all was tried", last: { distance: 3, unexplored: [] }, becomes: "revert" },
    {
      name: "is to stay with another try where nobody says what is left",
      last: { distance: 3, unexplored: undefined },
      becomes: "option",
    },
    { name: "is left alone where nobody has judged it", last: undefined, becomes: "retain progress" },
    {
      name: "is to be given up where the goal is out of reach",
      last: { reachable: false },
      becomes: "cancel unreachable",
    },
    {
      name: "is the end even of a plan that leads nowhere, where the goal is met",
      last: { distance: 10, met: true, reachable: false },
      becomes: "met",
    },
  ])("$name", ({ last, becomes }) => {
    expect(words([start, turn("next", last)]).at(-1)).toBe(becomes);
  });

  it("goes by the judge's own score of the state before it, where it is the first", () => {
    expect(words([turn("start", { distance: 3, before: 3 })])).toEqual(["revert"]);
    expect(words([turn("start", { distance: 3, before: undefined })])).toEqual(["retain unjudged"]);
  });

  it("goes by another measure of progress where the policy has one", () => {
    expect(words([start, turn("next", { distance: 3.5 })], { progress: 0.4 }).at(-1)).toBe("retain progress");
  });
});

describe("a plan that leads nowhere is given up", () => {
  const better = times(6, (i) => turn(`step ${i}`, { distance: i + 1, before: 0 }));

  const page = "You are in the hall, which has three doors.";

  it("a plan is given up when the same state has come three times, progress or not", () => {
    const same = times(3, (i) => turn(`button ${i}`, { distance: 4 + i }, page));
    expect(words([start, ...same])).toEqual([...times(3, () => "retain progress"), "cancel state"]);
  });

  it("a plan is given up without a judge, too", () => {
    const same = times(3, (i) => turn(`button ${i}`, undefined, page));
    expect(words(same)).toEqual(["retain unjudged", "retain unjudged", "cancel state"]);
  });

  it("a plan is kept that comes back to a state because it was told to", () => {
    const detour = (name: string): readonly Turn[] => [
      turn(name, { distance: 4, unexplored: [] }),
      turn("back", { distance: 4 }, page),
    ];
    const turns = [turn("start", { distance: 4, before: 1 }, page), ...["a", "b", "c"].flatMap(detour)];
    expect(words(turns).filter((word) => word.startsWith("cancel"))).toEqual([]);
  });

  it("a plan is kept that only looks at a state three times", () => {
    const look = { step: call("browser_snapshot", {}, page) };
    expect(words([turn("start", undefined, page), look, look, look])).toEqual(times(4, () => "retain unjudged"));
  });

  it("a plan is kept whose answers, such as ok, tell no state", () => {
    const vague = times(4, (i) => turn(`button ${i}`, undefined, "ok"));
    expect(words(vague)).toEqual(times(4, () => "retain unjudged"));
  });

  it("a plan is given up when its score has fallen three times in a row", () => {
    const falling = [7, 6, 5].map((distance) =>
      turn(`down ${distance}`, { distance, unexplored: [`more than ${distance}`] }),
    );
    expect(words([turn("start", { distance: 8, before: 7 }), ...falling]).slice(1)).toEqual([
      ...["option", "option", "cancel falls"],
    ]);
  });

  it("a plan is kept whose score has recovered in between", () => {
    const wavering = [7, 6, 6.5, 5, 4].map((distance) => turn(`to ${distance}`, { distance, unexplored: undefined }));
    expect(words([turn("start", { distance: 8, before: 7 }), ...wavering])).not.toContain("cancel falls");
  });

  it("a plan is given up when it has taken too many actions", () => {
    expect(words(better, { maxSteps: 6 })).toEqual([...times(5, () => "retain progress"), "cancel steps"]);
  });

  it("a plan stays given up until the user asks for something else", () => {
    const late = times(3, (i) => turn(`on ${i}`, { distance: 6 + i }));
    const turns = [start, turn("next", { distance: 5, reachable: false }), ...late];
    expect(words(turns)).toEqual(["retain progress", ...times(4, () => "cancel unreachable")]);
  });
});

it("a judgement is out of date when two more steps were taken", () => {
  const blind = times(3, (i) => turn(`blind ${i}`));
  expect(words([start, turn("next", { distance: 10, met: true }), ...blind])).toEqual([
    ...["retain progress", "met", "met", "met", "retain unjudged"],
  ]);
});

describe("what has been said", () => {
  it("is not said again before it is known what came of it", () => {
    const turns = [start, turn("open", { distance: 3, unexplored: ["OK", "Help"] }), turn("look about")];
    expect(words(turns)).toEqual(["retain progress", "option", "retain told"]);
  });

  it("waits, where something else was done before it was judged, until that is judged too", () => {
    const late = [turn("open"), turn("next"), turn("on")];
    const history = play(late).at(-1)?.history;
    const keys = history?.keys ?? [];
    const judge = (key: string | undefined, from = history) =>
      from && withJudgement(from, signGoalScore(key ?? "", verdict({ before: 3 }), sign).judgement);
    const once = judge(keys[1]);
    const twice = judge(keys[2], once);
    expect([once, twice].map((at) => at && decideOnGoal(at, standardPlanning).kind)).toEqual(["retain", "revert"]);
  });

  it("is followed by the next option, and by undoing when there is none", () => {
    const turns = [
      ...[start, turn("open", { unexplored: ["OK", "Help"] })],
      ...[turn("press OK", { unexplored: ["Help"] }), turn("press Help", { unexplored: [] })],
    ];
    expect(words(turns)).toEqual(["retain progress", "option", "option", "revert"]);
  });

  it("comes to an end with a judge that keeps naming what was tried, or something new each time", () => {
    const stubborn = times(6, (i) => turn(`try ${i}`, { unexplored: ["OK"] }));
    expect(words([start, ...stubborn]).slice(1, 3)).toEqual(["option", "revert"]);
    const inventive = times(12, (i) => turn(`try ${i}`, { unexplored: [`idea ${i}`] }));
    const made = words([start, ...inventive]);
    expect(made.indexOf("revert")).toBeGreaterThan(2);
    expect(made.indexOf("revert")).toBeLessThanOrEqual(9);
  });
});
