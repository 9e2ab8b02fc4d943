import { describe, expect, it } from "vitest";
import { ways } from "./dialogue.ts";
import { planRig } from "./planner.ts";
import { type ExecutorAction, executor, executorPlan, promptVerdicts } from "./prompt-agents.ts";

const plans = ["File", "Mode", "Tools", "Help", "View", "Edit"];
const script = (_: unknown, index: number) =>
  ({ kind: "text", text: executorPlan("Click-Tool", { loc: [plans[index % plans.length]] }) }) as const;
const headers = { "x-unloop-session": "plan-1" };

/** The window as its last action has left it. */
function windowAfter(actions: readonly ExecutorAction[], turn: number): string {
  const at = JSON.stringify(actions[0]?.tool_arguments ?? "nothing");
  return `Window: main, ${["one", "two", "three", "four", "five", "six", "seven"][turn]} menu shown after ${at}\nList: empty`;
}

describe.each(ways)("an executor that shows a goal and a state alone, answered with $kind", ({ extra }) => {
  it("has each of its states judged, with what has led there", async () => {
    const rig = await planRig(script, { judge: () => ({ distance: 3, unexplored: ["press OK"] }) });
    const run = { extra, headers, turns: 5, state: windowAfter, settled: () => rig.settled() };
    const turns = await executor(rig, run);
    expect(turns.map(({ steps }) => steps)).toEqual(["1", "1", "1", "1", "1"]);
    expect(rig.judge.requests).toHaveLength(5);
    const asked = rig.judge.requests.map(({ bytes }) => bytes.toString());
    expect(asked[2]).toContain("Open the batch view");
    expect(asked[2]).toContain("Click-Tool");
    expect(asked[2]).toContain("two menu shown");
    expect(asked[2]).toContain("three menu shown");
  });

  it("is told to give up when the same state has come three times, in the form that it reads", async () => {
    const rig = await planRig(script, { judge: () => ({ distance: 3 }) });
    const run = { extra, headers, turns: 5, state: () => "Window: main\nList: empty", settled: () => rig.settled() };
    const turns = await executor(rig, run);
    expect(promptVerdicts(turns)).toEqual(["ok", "ok", "nudge", "force-done", "short-circuit"]);
    expect(turns[3]?.received.join("\n")).toContain("in the member explanation");
    expect(JSON.parse(turns[4]?.content ?? "")).toEqual({ explanation: expect.any(String), concrete_actions: [] });
  });

  it("hears at once what is left to try, where its requests wait for the judge", async () => {
    const judge = (_: unknown, i: number) => ({ distance_score: 3, options: i === 1 ? ["press OK"] : [] });
    const rig = await planRig(script, { judge, policy: { judge: { wait: 5_000 } } });
    const turns = await executor(rig, { extra, headers, turns: 2, state: windowAfter });
    expect(promptVerdicts(turns)).toEqual(["ok", "nudge"]);
    expect(turns[1]?.received.join()).toContain('Do this next: \\"press OK\\".');
    expect(turns[1]?.received.join()).toContain("Click-Tool");
  });

  it("goes on unhindered while each state is nearer", async () => {
    const rig = await planRig(script, { judge: (_, index) => ({ distance: 1 + index, unexplored: [] }) });
    const run = { extra, headers, turns: 6, state: windowAfter, settled: () => rig.settled() };
    const turns = await executor(rig, run);
    expect(new Set(promptVerdicts(turns))).toEqual(new Set(["ok"]));
    expect(rig.judge.requests.length).toBe(6);
  });

  it("is not taken for another run of the same goal, where nothing names it", async () => {
    const rig = await planRig(script, { judge: () => ({ distance: 3, unexplored: [] }) });
    const run = { extra, turns: 3, state: windowAfter, settled: () => rig.settled() };
    const turns = [...(await executor(rig, run)), ...(await executor(rig, run))];
    expect(new Set(promptVerdicts(turns))).toEqual(new Set(["ok"]));
    expect(new Set(turns.map(({ steps }) => steps))).toEqual(new Set(["0"]));
  });
});
