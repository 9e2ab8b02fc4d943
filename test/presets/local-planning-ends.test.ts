import { describe, expect, it } from "vitest";
import { browse, shapes } from "./browser-agent.ts";
import {
  always,
  callOf,
  doing,
  type JudgeScript,
  noteIn,
  planRig,
  pursue,
  screen,
  stalled,
  tools,
  verdicts,
} from "./planner.ts";

describe("progress", () => {
  it("lets every request pass byte for byte, and is measured at each step", async () => {
    const judge: JudgeScript = (_, index) => ({ distance: 2 + index, distance_before: 1, unexplored: [] });
    const rig = await planRig(doing("click a", "click b", "click c", "done"), { judge });
    const taken = await pursue(rig, { tools, turns: 5, result: screen({}) });
    expect(verdicts(taken)).toEqual(["ok", "ok", "ok", "ok"]);
    expect((await rig.plan())?.nodes.map(({ before, after }) => [before, after])).toEqual([
      ...[
        [1, 2],
        [2, 3],
        [3, 4],
      ],
    ]);
    expect(rig.judge.requests).toHaveLength(3);
    expect(taken.flatMap(({ received }) => received).join()).not.toContain("[unloop]");
  });

  it("of half a point is none to speak of, and no reason to say anything", async () => {
    const judge: JudgeScript = (_, index) => ({ distance: 2 + index * 0.5, distance_before: 1.5, unexplored: [] });
    const rig = await planRig(doing("click a", "click b", "click c", "done"), { judge });
    expect(verdicts(await pursue(rig, { tools, turns: 5, result: screen({}) }))).toEqual(["ok", "ok", "ok", "ok"]);
  });
});

describe("a goal that is reached", () => {
  const judge = always({ distance: 10, goal_met: true, unexplored: [], reasons: "The booking is confirmed." });

  it("lets the model only finish, with success", async () => {
    const rig = await planRig(doing("click a", "click b", "done"), { judge });
    const taken = await pursue(rig, { tools, turns: 5, result: screen({}), task: "Book a room." });
    expect(verdicts(taken)).toEqual(["ok", "ok", "force-done"]);
    const body = JSON.parse(taken[2]?.received[0] ?? "{}");
    expect(body.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual(["done"]);
    for (const part of ["The goal is reached", "10 of 10", "success=true", 'The task was: "Book a room."'])
      expect(noteIn(taken[2])).toContain(part);
  });

  it("ends a run that does not finish", async () => {
    const rig = await planRig(doing("click a", "click b", "click c", "click d"), { judge });
    const taken = await pursue(rig, { tools, turns: 6, result: screen({}) });
    expect(verdicts(taken)).toEqual(["ok", "ok", "force-done", "short-circuit"]);
    expect(callOf(taken[3])).toMatch(/^done\(.*"success":true.*The goal is reached/);
  });
});

describe("a plan that leads nowhere", () => {
  const page = "You are in the hall, which has three doors.";
  const down: JudgeScript = (_, index) => ({ distance: 8 - index, distance_before: 9, reasons: "It drifts away." });
  const slow: JudgeScript = (_, index) => ({ distance: 2 + index * 0.1, distance_before: 1 });

  it.each([
    {
      why: "the same state",
      judge: slow,
      pages: { a: page, b: page, c: page },
      says: "(sameState: 3)",
    },
    { why: "a falling score", judge: down, pages: {}, says: "(falls: 3)" },
    {
      why: "too many actions",
      judge: slow,
      pages: {},
      policy: { planning: { maxSteps: 4 } },
      says: "(maxSteps: 4)",
    },
    {
      why: "a goal out of reach",
      judge: always({ distance: 3, distance_before: 1, reachable: false, reasons: "The shop is closed." }),
      pages: {},
      says: "(unreachable)",
    },
  ])("is given up for $why, and told with what was tried", async ({ judge, pages, policy, says }) => {
    const rig = await planRig(doing("click a", "click b", "click c", "click d", "click e", "click f"), {
      judge,
      policy: policy ?? {},
    });
    const taken = await pursue(rig, { tools, turns: 9, result: screen(pages), task: "Buy milk." });
    const at = taken.findIndex(({ verdict }) => verdict === "force-done");
    expect(verdicts(taken).slice(at)).toEqual(["force-done", "short-circuit"]);
    for (const part of [says, "say so (success=false", 'Tried: click({"element":"a"})', 'The task was: "Buy milk."'])
      expect(noteIn(taken[at])).toContain(part);
    expect(callOf(taken[at + 1])).toMatch(/^done\(.*"success":false.*This plan is given up/);
  });

  it("says why, and what was undone", async () => {
    const judge: JudgeScript = (_, index) =>
      index < 3 ? stalled() : { distance: 3, distance_before: 3, reachable: false, reasons: "The shop is closed." };
    const rig = await planRig(doing("click checkbox a", "snapshot", "click x", "click y", "click z"), {
      judge,
      policy: { planning: { reversals: { checkbox: "same" } } },
    });
    const taken = await pursue(rig, { tools, turns: 8, result: screen({}) });
    const forced = taken.find(({ verdict }) => verdict === "force-done");
    expect(noteIn(forced)).toContain('Undone again: click({"element":"checkbox a"}).');
    expect(noteIn(forced)).toContain('Reason: "The shop is closed."');
  });
});

it("a run that has not done anything yet has no plan to keep", async () => {
  const rig = await planRig(doing("click a"), { judge: always(stalled()) });
  await pursue(rig, { tools, turns: 1, result: screen({}) });
  expect(await rig.plan()).toBeUndefined();
});

describe("in observe mode", () => {
  it("a plan is judged and told of, and nothing is changed", async () => {
    const model = doing("click a", "snapshot", "click c", "done");
    const rig = await planRig(model, { judge: always(stalled()), options: { mode: "observe" } });
    const taken = await pursue(rig, { tools, turns: 6, result: screen({}) });
    expect(verdicts(taken)).toContain("observe:nudge");
    expect((await rig.plan())?.nodes.flatMap(({ told }) => told ?? [])).toEqual([]);
    expect(rig.judge.requests.length).toBeGreaterThan(0);
    expect(taken.flatMap(({ received }) => received).join()).not.toContain("[unloop]");
  });

  it("with the guard off nobody is asked", async () => {
    const rig = await planRig(doing("click a", "snapshot", "done"), {
      judge: always(stalled()),
      options: { mode: "off" },
    });
    await pursue(rig, { tools, turns: 6, result: screen({}) });
    expect(rig.judge.requests).toEqual([]);
  });
});

describe.each(shapes)("an agent that acts by $name", (shape) => {
  it("is judged by its actions and told to undo the last of them", async () => {
    const step = (index: number) => shape.answer([{ click: { index } }]);
    const rig = await planRig((_, index) => step(index < 2 ? 4 : index), { judge: always(stalled()) });
    // The same page twice: nothing has changed since it was judged.
    const result = () => "Action result: the page shows a checkbox Newsletter that is checked.";
    const turns = await browse(rig, shape, { task: "Subscribe.", turns: 4, result, settled: rig.settled });
    expect(turns.map(({ verdict }) => verdict)).toContain("nudge");
    const told = turns.find(({ verdict }) => verdict === "nudge")?.received[0]?.bytes.toString();
    expect(told).toContain("has not brought you nearer to the goal");
    expect(told).toContain("click the same place once more");
  });
});
