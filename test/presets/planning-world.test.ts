import { expect, it } from "vitest";
import type { Script } from "../support/servers/upstream.ts";
import { callNamed, type JudgeScript, planRig, pursue, verdicts } from "./planner.ts";

/** A house: from each room its doors, and how near the garden one is there. Behind the cellar there is no way out. */
const rooms: Readonly<Record<string, { readonly doors: readonly string[]; readonly near: number }>> = {
  hall: { doors: ["cellar", "library"], near: 3 },
  cellar: { doors: ["hall"], near: 3 },
  library: { doors: ["hall", "terrace"], near: 6 },
  terrace: { doors: ["library", "garden"], near: 8 },
  garden: { doors: ["terrace"], near: 10 },
};

/** What one sees from a room, also when one looks into its corners. */
function house() {
  let room = "hall";
  return (tool: string, { element }: { readonly element?: unknown }): string => {
    const there = String(element);
    if (tool === "open" && rooms[room]?.doors.includes(there)) room = there;
    const sight = `You are in the ${room}. Doors: ${rooms[room]?.doors.join(", ")}.`;
    return tool === "search"
      ? `${sight} In ${there} you find old newspapers of no use, number ${there.length}.`
      : sight;
  };
}

/** Walks into the cellar first, and then searches its corners one after the other; it never does the same twice. */
const explorer: Script = ({ chat }, index) => {
  const said = String(chat.messages.at(-1)?.content ?? "");
  const room = /in the (\w+)\./.exec(said)?.[1];
  if (said.includes("The goal is reached")) return callNamed("done", index);
  if (said.includes("find the way back")) return callNamed("open hall", index);
  const been = JSON.stringify(chat.messages);
  if (room === "cellar") return callNamed(`search corner ${"x".repeat(index)}`, index);
  if (room === "hall") return callNamed(been.includes("in the cellar.") ? "open library" : "open cellar", index);
  if (room === "library") return callNamed("open terrace", index);
  return callNamed(room === "terrace" ? "open garden" : "open hall", index);
};

const judge: JudgeScript = (question) => {
  const room = /in the (\w+)\./.exec(question.slice(question.indexOf("## Current state")))?.[1] ?? "";
  const distance = rooms[room]?.near ?? 0;
  return {
    distance,
    distance_before: 1,
    goal_met: room === "garden",
    unexplored: [],
    reasons: `It is in the ${room}.`,
  };
};

const STEPS = 20;
const run = { tools: ["open", "search", "done"], turns: STEPS, task: "Find the way to the garden." };

it("an agent that walks into a dead end is led out of it, and reaches the goal", async () => {
  const rig = await planRig(explorer, { judge });
  const taken = await pursue(rig, { ...run, result: house() });
  expect(taken.at(-1)?.message.tool_calls?.[0]).toMatchObject({ function: { name: "done" } });
  expect(taken.length).toBeLessThan(STEPS);
  expect(verdicts(taken).filter((verdict) => verdict !== "ok")).toEqual(["nudge", "force-done"]);
  expect(await rig.plan()).toMatchObject({
    undone: [1, 2, 3].map((at) => ({ at })),
  });
});

it.each([
  { name: "a judge", options: { judge: undefined } },
  { name: "the preset", options: { policy: "default" } },
])("without $name it searches the dead end until its steps run out", async ({ options }) => {
  const rig = await planRig(explorer, { judge, options });
  const taken = await pursue(rig, { ...run, result: house() });
  expect(taken).toHaveLength(STEPS);
  expect(rig.judge.requests).toEqual([]);
  expect(JSON.stringify(taken)).not.toContain("garden. Doors");
});
