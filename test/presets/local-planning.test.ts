import { describe, expect, it } from "vitest";
import { browse, shapes } from "./browser-agent.ts";
import {
  always,
  callOf,
  doing,
  kindsOfLooks,
  type JudgeScript,
  noteIn,
  planRig,
  pursue,
  screen,
  stalled,
  tools,
  verdicts,
} from "./planner.ts";

const undoneBySame = { judge: { actions: [{ type: "checkbox", undo: "same" }] } };

describe("an action that brought nothing, when all was tried, and that a policy has a call to undo", () => {
  it.each([
    {
      call: "click checkbox newsletter",
      shows: "[x] Newsletter",
      type: "checkbox",
      undo: "same",
      undone: 'click({"element":"checkbox newsletter"})',
    },
    {
      call: "click New",
      shows: 'A dialog "New entry" with OK and Cancel.',
      type: "dialog",
      undo: { tool: "click", args: { element: "Cancel" } },
      undone: 'click({"element":"Cancel"})',
    },
    {
      call: "type name",
      shows: "Name: Ann",
      type: "text",
      undo: { tool: "type", args: { element: "$element", text: "" } },
      undone: 'type({"element":"name","text":""})',
    },
    {
      call: "click menu File",
      shows: "Menu: Open, Save",
      type: "menu",
      undo: { tool: "click", args: { element: "elsewhere" } },
      undone: 'click({"element":"elsewhere"})',
    },
    {
      call: "open_app notes",
      shows: "The application notes is in front.",
      type: "window",
      undo: { tool: "click", args: { element: "X" } },
      undone: 'click({"element":"X"})',
    },
    {
      call: "click Next",
      shows: "Page two of the list.",
      type: "other",
      undo: { tool: "click", args: { element: "Back" } },
      undone: 'click({"element":"Back"})',
    },
  ])("is undone by it: $type", async ({ call, shows, type, undo, undone }) => {
    const policy = { judge: { actions: [{ type, undo }] } };
    const rig = await planRig(doing(call, "snapshot", "done"), { judge: always(stalled()), policy });
    const result = screen({ [call.slice(call.indexOf(" ") + 1)]: `Settings. ${shows}` });
    const taken = await pursue(rig, { tools, turns: 4, result });
    expect(verdicts(taken).slice(0, 3)).toEqual(["ok", "ok", "short-circuit"]);
    expect(taken[2]?.received).toEqual([]);
    expect(callOf(taken[2])).toBe(undone);
  });
});

describe.each(kindsOfLooks)("an action that brought nothing, with $looks", ({ aside }) => {
  it("is off the stack once it is undone, and the plan goes on from where it was", async () => {
    let toggled = false;
    const look = screen({ start: "The list of settings.", "checkbox a": "The list of settings, a is checked." }, aside);
    const result = (tool: string, args: { readonly element?: unknown }) => {
      if (args.element !== "checkbox a") return look(tool, args);
      toggled = !toggled;
      return look("click", { element: toggled ? "checkbox a" : "start" });
    };
    const judge: JudgeScript = (_, index) =>
      index === 0 ? { distance: 3, distance_before: 1, unexplored: [] } : stalled();
    const model = doing("click start", "click checkbox a", "snapshot", "done");
    const rig = await planRig(model, { judge, policy: undoneBySame });
    const taken = await pursue(rig, { tools, turns: 6, result });
    expect(callOf(taken[3])).toBe('click({"element":"checkbox a"})');
    expect(await rig.plan()).toMatchObject({ nodes: [{ at: 0 }], undone: [{ at: 1, before: 3, after: 3 }] });
  });

  it("is not undone by a call when something else is shown by now, and is told of when that was judged as well", async () => {
    const model = doing("click checkbox a", "click other", "click more", "done");
    const rig = await planRig(model, { judge: always(stalled()), policy: undoneBySame });
    const taken = await pursue(rig, { tools, turns: 5, result: screen({}, aside) });
    expect(verdicts(taken)).toEqual(["ok", "ok", "ok", "nudge"]);
    expect(noteIn(taken[3])).toContain('click({"element":"other"})');
  });

  it("is not spoken of when what was done meanwhile is the better way", async () => {
    const judge: JudgeScript = (_, index) => (index === 0 ? stalled() : { distance: 5, unexplored: [] });
    const rig = await planRig(doing("click a", "click b", "click c", "done"), { judge });
    const taken = await pursue(rig, { tools, turns: 5, result: screen({}, aside) });
    expect(new Set(verdicts(taken))).toEqual(new Set(["ok"]));
  });

  it("is not undone by a call that the agent cannot make", async () => {
    const actions = [{ type: "checkbox", undo: { tool: "press_key", args: { key: "Space" } } }];
    const model = doing("click checkbox a", "snapshot", "done");
    const rig = await planRig(model, { judge: always(stalled()), policy: { judge: { actions } } });
    expect(verdicts(await pursue(rig, { tools, turns: 4, result: screen({}, aside) }))).toEqual(["ok", "ok", "nudge"]);
  });
});

describe.each(kindsOfLooks)("where something is left to try, with $looks", ({ aside }) => {
  const options = ["fill in the form and click OK", "fill in other values", "ask for help"];
  // What the model tries, one after the other; the judge strikes it off.
  const judge: JudgeScript = (question) => {
    if (!question.includes("New")) return { distance: 3, distance_before: 1, unexplored: ["click New"] };
    const tried = ["Ann", "Bob", "Help"].filter((one) => question.includes(`"${one}"`)).length;
    return stalled(options.slice(tried));
  };
  const model = doing(
    ...[
      "click start",
      "click New",
      "snapshot",
      "type Ann",
      "snapshot",
      "type Bob",
      "snapshot",
      "click Help",
      "snapshot",
    ],
  );
  const pages = {
    start: "A list of entries.",
    New: 'A dialog "New entry" with a name field.',
    Ann: 'The dialog "New entry" says that Ann is taken.',
    Bob: 'The dialog "New entry" says that Bob is taken.',
    Help: 'The dialog "New entry" has a help text that says nothing.',
  };

  it("one option after the other is suggested once, the action is undone after the last one, and notes stay where they were put", async () => {
    const rig = await planRig(model, { judge });
    const taken = await pursue(rig, { tools, turns: 10, result: screen(pages, aside) });
    const told = taken.filter(({ verdict }) => verdict === "nudge").map(noteIn);
    expect(told).toHaveLength(4);
    for (const [i, option] of options.entries()) expect(told[i]).toContain(`Do this next: "${option}".`);
    for (const part of ["Undo it", 'click "Cancel" or "Close"', "New"]) expect(told[3]).toContain(part);
    const sent = taken.at(-1)?.received.join() ?? "";
    for (const note of told.slice(0, 3)) expect(sent).toContain(JSON.stringify(note).slice(1, -1));
    expect((await rig.plan())?.nodes.at(-1)).toMatchObject({ explored: 3 });
  });
});

it("progress lets every request pass byte for byte, and is measured at each step", async () => {
  const judge: JudgeScript = (_, index) => ({ distance: 2 + index * 0.5, distance_before: 1, unexplored: [] });
  const rig = await planRig(doing("click a", "click b", "click c", "done"), { judge });
  const taken = await pursue(rig, { tools, turns: 5, result: screen({}) });
  expect(verdicts(taken)).toEqual(["ok", "ok", "ok", "ok"]);
  expect((await rig.plan())?.nodes.map(({ before, after }) => [before, after])).toEqual([
    ...[
      [1, 2],
      [2, 2.5],
      [2.5, 3],
    ],
  ]);
  expect(rig.judge.requests).toHaveLength(3);
  expect(taken.flatMap(({ received }) => received).join()).not.toContain("[unloop]");
});

it("a goal that is reached lets the model only finish, with success, and ends a run that does not", async () => {
  const judge = always({ distance: 10, goal_met: true, unexplored: [], reasons: "The booking is confirmed." });
  const rig = await planRig(doing("click a", "click b", "click c", "click d"), { judge });
  const taken = await pursue(rig, { tools, turns: 6, result: screen({}), task: "Book a room." });
  expect(verdicts(taken)).toEqual(["ok", "ok", "force-done", "short-circuit"]);
  const body = JSON.parse(taken[2]?.received[0] ?? "{}");
  expect(body.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual(["done"]);
  for (const part of ["The goal is reached", "10 of 10", "success=true", 'The task was: "Book a room."'])
    expect(noteIn(taken[2])).toContain(part);
  expect(callOf(taken[3])).toMatch(/^done\(.*"success":true.*The goal is reached/);
});

it("a plan that leads nowhere is cancelled without success, and told with what was tried, undone, and why", async () => {
  const judge: JudgeScript = (_, index) =>
    index < 3 ? stalled() : { distance: 3, distance_before: 3, reachable: false, reasons: "The shop is closed." };
  const model = doing("click checkbox a", "snapshot", "click x", "click y", "click z");
  const rig = await planRig(model, { judge, policy: undoneBySame });
  const taken = await pursue(rig, { tools, turns: 9, result: screen({}), task: "Buy milk." });
  const at = taken.findIndex(({ verdict }) => verdict === "force-done");
  expect(verdicts(taken).slice(at)).toEqual(["force-done", "short-circuit"]);
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

it("in observe mode a plan is judged and told of, and nothing is changed", async () => {
  const model = doing("click a", "snapshot", "click c", "done");
  const rig = await planRig(model, { judge: always(stalled()), options: { mode: "observe" } });
  const taken = await pursue(rig, { tools, turns: 6, result: screen({}) });
  expect(verdicts(taken)).toContain("observe:nudge");
  expect((await rig.plan())?.nodes.flatMap(({ told }) => told ?? [])).toEqual([]);
  expect(taken.flatMap(({ received }) => received).join()).not.toContain("[unloop]");
});

it.each(shapes)(
  "an agent that acts by $name is judged by its actions and told to undo the last of them",
  async (shape) => {
    const step = (index: number) => shape.answer([{ click: { index } }]);
    const rig = await planRig((_, index) => step(index < 2 ? 4 : index), { judge: always(stalled()) });
    // The same page twice: nothing has changed since it was judged.
    const result = () => "Action result: the page shows a checkbox Newsletter that is checked.";
    const turns = await browse(rig, shape, { task: "Subscribe.", turns: 4, result, settled: rig.settled });
    const told = turns.find(({ verdict }) => verdict === "nudge")?.received[0]?.bytes.toString();
    expect(told).toContain("has not brought you nearer to the goal");
    expect(told).toContain("click the same place once more");
  },
);
