import { describe, expect, it, vi } from "vitest";
import { type Act, type JudgeScript, page, pages, planRig, silent, told, waiting, walk } from "./planner.ts";
import { asked, executorPlan, executorPrompt } from "./prompt-agents.ts";

async function walked(acts: readonly Act[], judge: JudgeScript, policy: { judge?: object } = {}) {
  const rig = await planRig(silent, { judge, policy: { judge: { ...waiting.judge, ...policy.judge } } });
  return { rig, turns: await walk(rig, acts) };
}

const dialog: Act = ["New", 'A dialog "New entry" has opened.'];

const scores =
  (distances: readonly number[], more: (index: number) => object = () => ({ options: [] })): JudgeScript =>
  (_, index) => ({ distance_score: distances[Math.min(index, distances.length - 1)], reasoning: "So", ...more(index) });
const left =
  (...options: readonly (readonly string[])[]) =>
  (index: number) => ({ options: options[index] ?? [] });

/**
 * What the document of the planning system (002) says, in our words; what is played; what becomes of each turn, and what the last word
 * contains.
 */
type Row = readonly [says: string, acts: readonly Act[], judge: JudgeScript, turns: string, word: string];

const decisions: readonly Row[] = [
  ["the goal is met: done, with success", pages("a", "b"), scores([3, 10]), "ok force-done", "success=true"],
  ["progress: the action is retained", pages("a", "b", "c"), scores([3, 5, 8]), "ok ok ok", ""],
  [
    "no progress, and options left: retained, and the next one is tried",
    ...([pages("a", "b"), scores([3, 3], left([], ["press OK"])), "ok nudge", 'Do this next: "press OK".'] as const),
  ],
  ["no progress, all explored: reverted", pages("a", "b"), scores([3, 3]), "ok nudge", "Undo it"],
];

const reversals: readonly Row[] = (
  [
    ["a checkbox is clicked again", ["checkbox Agree", "It is checked."], "click the same place once more"],
    ["a dialog is left by Cancel or Close", dialog, 'click "Cancel" or "Close"'],
    ["typed text is cleared", ["Ann", "The field Name says Ann now.", "type"], "clear the field (Ctrl+A, Delete)"],
    ["a menu is closed", ["menu File", "A menu with Open and Save."], "press Escape, or click elsewhere"],
    ["a window is closed", ["Editor", "A window.", "launch_app"], "close the window (its X, or Alt+F4)"],
    ["any other click: the states are compared", page("b"), "compare the state now with the one before it"],
  ] satisfies readonly (readonly [string, Act, string])[]
).map(([says, act, word]): Row => [says, [page("a"), act], scores([3, 3]), "ok nudge", word]);

const missing: Act = ["OK", "The dialog says that a name is missing."];
const taken: Act = ["Ann", "The dialog says that Ann is taken.", "type"];
const a = page("a")[1];
const exploration: readonly Row[] = [
  [
    "in a dialog the form is filled in, other values are tried, and only then Cancel is clicked",
    [page("a"), dialog, missing, taken],
    scores([3], left([], ["fill in the form", "try another name"], ["try another name"], [])),
    ...(["ok nudge nudge nudge", 'click "Cancel" or "Close"'] as const),
  ],
  [
    "what was undone is off the stack, and the plan goes on from there",
    [page("a"), dialog, ["Cancel", a], page("b")],
    scores([3, 3, 3, 6], (i) => (i === 2 ? { options: ["look at b"] } : { options: [] })),
    ...(["ok nudge ok ok", ""] as const),
  ],
  [
    "what was undone is off the stack though its result shows nothing",
    [page("a"), dialog, ["Cancel", "ok"], page("b"), page("c")],
    scores([3, 3, 3, 3, 3], (i) => (i === 2 ? { options: ["look at b"] } : { options: [] })),
    ...(["ok nudge ok nudge nudge", ""] as const),
  ],
  [
    "a judge that names no options: twice to try on, then to undo",
    ...([pages("a", "b", "c", "d"), scores([3], () => ({})), "ok nudge nudge nudge", "Undo it"] as const),
  ],
];

const unreachable = (isSo: (index: number) => boolean) => (index: number) => ({ reachable: !isSo(index) });
const cancelling: readonly Row[] = [
  ["one state three times", [page("a"), ["x", a], ["y", a]], scores([3, 4, 5]), "ok ok force-done", "(same state: 3)"],
  [
    "the score falls three times in a row",
    pages("a", "b", "c", "d"),
    scores([8, 7, 6, 5], () => ({ options: ["go on"] })),
    ...(["ok nudge nudge force-done", ""] as const),
  ],
  [
    "the goal is out of reach",
    pages("a", "b"),
    scores(
      [3, 5],
      unreachable(() => true),
    ),
    "force-done end",
    "",
  ],
  [
    "what was given up stays given up, whatever is said later",
    ...([
      pages("a", "b", "c"),
      scores(
        [3, 8],
        unreachable((i) => i === 0),
      ),
      "force-done end end",
      "",
    ] as const),
  ],
  [
    "a state that comes again because the agent was told to undo gives up nothing",
    [page("a"), page("b"), ["back", a], page("c"), ["back", a]],
    ...([scores([4]), "ok nudge ok nudge ok", ""] as const),
  ],
  ["to go back unasked undoes nothing", [page("a"), page("b"), ["back", a]], scores([3, 4, 5]), "ok ok ok", ""],
];

describe("the document of the planning system:", () => {
  it.each([...decisions, ...reversals, ...exploration, ...cancelling])("%s", async (_, acts, judge, turns, word) => {
    const { turns: taken } = await walked(acts, judge);
    expect(told(taken)).toBe(turns);
    expect(taken.at(-1)?.note).toContain(word);
  });

  it("each action is recorded with its states, scores, branches and whether it was reverted", async () => {
    const { rig } = await walked([page("a"), page("b"), dialog], scores([3, 5, 5], left([], [], ["fill in the form"])));
    expect(rig.asked).toHaveLength(3);
    const nodes = async () => (await rig.plan())?.nodes;
    await vi.waitFor(async () => expect(await nodes()).toHaveLength(3));
    expect(await nodes()).toMatchObject([
      { at: 0, after: 3 },
      { at: 1, before: 3, after: 5, stateBefore: expect.stringMatching(/./), stateAfter: expect.stringMatching(/./) },
      { at: 2, before: 5, after: 5, options: [expect.any(String)], tried: [expect.any(String)] },
    ]);
  });
});

describe("beyond the document:", () => {
  const typed: Act = ["Ann", "The field Name says Ann now.", "type"];
  const undoing = (tool: string) => ({
    judge: { actions: [{ type: "text", undo: { tool, args: { element: "$element", text: "" } } }] },
  });

  it("an action is undone by the call that a policy has for that, without the model, if the agent can make it", async () => {
    const { turns } = await walked([page("a"), typed], scores([3, 3]), undoing("type"));
    expect([told(turns), turns[1]?.call, turns[1]?.received]).toEqual([
      "ok end",
      'type({"element":"Ann","text":""})',
      [],
    ]);
    expect(told((await walked([page("a"), typed], scores([3, 3]), undoing("press_key"))).turns)).toBe("ok nudge");
  });

  it("a goal that is reached lets the model only finish, with success, and ends a run that does not", async () => {
    const { turns } = await walked(pages("a", "b"), () => ({
      distance: 10,
      goal_met: true,
      unexplored: [],
      reasons: "The booking is confirmed.",
    }));
    expect(told(turns)).toBe("force-done end");
    expect(JSON.parse(turns[0]?.sent ?? "{}").tools).toMatchObject([{ function: { name: "done" } }]);
    for (const part of ["The goal is reached", "10 of 10", "success=true", 'The task was: "Make a new entry."'])
      expect(turns[0]?.note).toContain(part);
    expect(turns[1]?.call).toMatch(/^done\(.*"success":true.*The goal is reached/);
  });

  it("a plan that leads nowhere is cancelled without success, and told with what was tried, undone, and why", async () => {
    const judge: JudgeScript = (_, index) => ({
      distance: 3,
      distance_before: 3,
      unexplored: [],
      reachable: index < 2,
      reasons: "The shop is closed.",
    });
    const { turns } = await walked([page("a"), ["checkbox b", "It is checked."], ...pages("c", "d")], judge, {
      judge: { actions: [{ type: "checkbox", undo: "same" }] },
    });
    const at = turns.findIndex((turn) => told([turn]) === "force-done");
    expect(told(turns.slice(at))).toBe("force-done end");
    for (const part of ["(unreachable)", "say so (success=false", 'Reason: "The shop is closed."'])
      expect(turns[at]?.note).toContain(part);
    expect(turns[at + 1]?.call).toMatch(/^done\(.*"success":false.*This plan is given up/);
  });

  it("an executor that shows a goal and a state alone is told to give up when one state has come three times", async () => {
    const plan = (index: number) => executorPlan("Click-Tool", { loc: [["File", "Mode", "Tools"][index % 3]] });
    const rig = await planRig((_, index) => ({ kind: "text", text: plan(index) }), { judge: () => ({ distance: 3 }) });
    const messages = [{ role: "user", content: executorPrompt }];
    const turns: Awaited<ReturnType<typeof asked>>[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const headers = { "x-unloop-session": "plan-1" };
      turns.push(await asked(rig, { messages, response_format: { type: "json_object" } }, headers));
      await rig.settled();
    }
    expect(told(turns)).toBe("ok ok nudge force-done end");
    expect(turns[3]?.received.join("\n")).toContain("in the member explanation");
    expect(JSON.parse(turns[4]?.content ?? "")).toEqual({ explanation: expect.any(String), concrete_actions: [] });
  });
});
