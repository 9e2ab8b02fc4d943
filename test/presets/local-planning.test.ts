import { describe, expect, it } from "vitest";
import {
  callOf,
  doing,
  type JudgeScript,
  noteIn,
  type PlanOptions,
  planRig,
  pursue,
  type Run,
  screen,
  stalled,
} from "./planner.ts";
import { executor, type ExecutorAction, executorPlan } from "./prompt-agents.ts";
import { told } from "./rig.ts";
import type { Script } from "../support/servers/upstream.ts";

const undoneBySame = { judge: { actions: [{ type: "checkbox", undo: "same" }] } };
const always =
  (said: object): JudgeScript =>
  () =>
    said;

async function run(model: Script, given: PlanOptions, { turns = 9, result = screen(), ...more }: Partial<Run> = {}) {
  const rig = await planRig(model, given);
  return { rig, taken: await pursue(rig, { turns, result, ...more }) };
}

describe("an action that brought nothing, when all was tried", () => {
  it("is undone by the call that a policy has for that, without the model", async () => {
    const undo = { tool: "type", args: { element: "$element", text: "" } };
    const { taken } = await run(
      doing("type name", "snapshot", "done"),
      { judge: always(stalled()), policy: { judge: { actions: [{ type: "text", undo }] } } },
      { result: screen({ name: "Settings. Name: Ann" }), turns: 4 },
    );
    expect(told(taken.slice(0, 3))).toBe("ok ok end");
    expect(taken[2]?.received).toEqual([]);
    expect(callOf(taken[2])).toBe('type({"element":"name","text":""})');
  });

  it("is not undone by a call that the agent cannot make", async () => {
    const actions = [{ type: "checkbox", undo: { tool: "press_key", args: { key: "Space" } } }];
    const given = { judge: always(stalled()), policy: { judge: { actions } } };
    expect(told((await run(doing("click checkbox a", "snapshot", "done"), given)).taken)).toBe("ok ok nudge");
  });
});

it("a goal that is reached lets the model only finish, with success, and ends a run that does not", async () => {
  const judge = always({ distance: 10, goal_met: true, unexplored: [], reasons: "The booking is confirmed." });
  const { taken } = await run(doing("click a", "click b", "click c", "click d"), { judge }, { task: "Book a room." });
  expect(told(taken)).toBe("ok ok force-done end");
  expect(taken[2]?.received[0]?.view.offered).toEqual(["done"]);
  for (const part of ["The goal is reached", "10 of 10", "success=true", 'The task was: "Book a room."'])
    expect(noteIn(taken[2])).toContain(part);
  expect(callOf(taken[3])).toMatch(/^done\(.*"success":true.*The goal is reached/);
});

it("a plan that leads nowhere is cancelled without success, and told with what was tried, undone, and why", async () => {
  const judge: JudgeScript = (_, index) =>
    index < 3 ? stalled() : { distance: 3, distance_before: 3, reachable: false, reasons: "The shop is closed." };
  const model = doing("click checkbox a", "snapshot", "click x", "click y", "click z");
  const { taken } = await run(model, { judge, policy: undoneBySame }, { task: "Buy milk." });
  const at = taken.findIndex((turn) => told([turn]) === "force-done");
  expect(told(taken.slice(at))).toBe("force-done end");
  for (const part of [
    "(unreachable)",
    "say so (success=false",
    'Undone again: click({"element":"checkbox a"}).',
    'Reason: "The shop is closed."',
    'The task was: "Buy milk."',
  ])
    expect(noteIn(taken[at])).toContain(part);
  expect(callOf(taken[at + 1])).toMatch(/^done\(.*"success":false.*This plan is given up/);
});

describe("an executor that shows a goal and a state alone", () => {
  const headers = { "x-unloop-session": "plan-1" };
  const menus = ["File", "Mode", "Tools", "Help", "View", "Edit"];
  const script: Script = (_, index) => ({
    kind: "text",
    text: executorPlan("Click-Tool", { loc: [menus[index % menus.length]] }),
  });
  /** The window as its last action has left it. */
  const windowAfter = (actions: readonly ExecutorAction[], turn: number) =>
    `Window: main, ${["one", "two", "three", "four", "five", "six", "seven"][turn]} menu shown after ${JSON.stringify(actions[0]?.tool_arguments ?? "nothing")}\nList: empty`;

  async function executed(judge: JudgeScript, turns: number, more: { policy?: object; state?: () => string } = {}) {
    const { policy = {}, state = windowAfter } = more;
    const rig = await planRig(script, { judge, policy });
    return { rig, turns: await executor(rig, { headers, turns, state, settled: rig.settled }) };
  }

  it("is told to give up when the same state has come three times, in the form that it reads", async () => {
    const { turns } = await executed(always({ distance: 3 }), 5, { state: () => "Window: main\nList: empty" });
    expect(told(turns)).toBe("ok ok nudge force-done end");
    expect(turns[3]?.received.join("\n")).toContain("in the member explanation");
    expect(JSON.parse(turns[4]?.content ?? "")).toEqual({ explanation: expect.any(String), concrete_actions: [] });
  });
});
