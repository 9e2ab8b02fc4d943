import { describe, expect, it } from "vitest";
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

describe.each(kindsOfLooks)("an action that brought nothing, when all was tried, with $looks", ({ aside }) => {
  const page = (what: string) => `Settings. ${what}`;

  it.each([
    {
      name: "a checkbox is clicked again",
      call: "click checkbox newsletter",
      shows: page("[x] Newsletter"),
      told: "click the same place once more",
      reversals: { checkbox: "same" },
      undone: 'click({"element":"checkbox newsletter"})',
    },
    {
      name: "a dialog is cancelled",
      call: "click New",
      shows: page('A dialog "New entry" with OK and Cancel.'),
      told: 'click "Cancel" or "Close"',
      reversals: { dialog: { tool: "click", args: { element: "Cancel" } } },
      undone: 'click({"element":"Cancel"})',
    },
    {
      name: "a field is cleared",
      call: "type name",
      shows: page("Name: Ann"),
      told: "clear the field (Ctrl+A, Delete)",
      reversals: { text: { tool: "type", args: { element: "$element", text: "" } } },
      undone: 'type({"element":"name","text":""})',
    },
    {
      name: "a menu is closed",
      call: "click menu File",
      shows: page("Menu: Open, Save"),
      told: "press Escape",
      reversals: { menu: { tool: "click", args: { element: "elsewhere" } } },
      undone: 'click({"element":"elsewhere"})',
    },
    {
      name: "a window is closed",
      call: "open_app notes",
      shows: page("The application notes is in front."),
      told: "close the window (its X, or Alt+F4)",
      reversals: { window: { tool: "click", args: { element: "X" } } },
      undone: 'click({"element":"X"})',
    },
    {
      name: "for anything else the state is to be looked at",
      call: "click Next",
      shows: page("Page two of the list."),
      told: "compare the state now with the one before",
      reversals: { other: { tool: "click", args: { element: "Back" } } },
      undone: 'click({"element":"Back"})',
    },
  ])("is undone: $name", async ({ call, shows, told, reversals, undone }) => {
    const element = call.slice(call.indexOf(" ") + 1);
    const play = async (policy: object) => {
      const rig = await planRig(doing(call, "snapshot", "done"), { judge: always(stalled()), policy });
      const taken = await pursue(rig, { tools, turns: 5, result: screen({ [element]: shows }, aside) });
      return { rig, taken };
    };
    // Told in words, which the model may act on.
    const inWords = await play({});
    expect(verdicts(inWords.taken)).toEqual(["ok", "ok", "nudge"]);
    expect(inWords.taken[2]?.detector).toBe("goal-distance");
    expect(noteIn(inWords.taken[2])).toContain(told);
    expect(noteIn(inWords.taken[2])).toContain(element);
    // Answered as a call, which the agent makes like any other; then the plan has taken it back.
    const asCall = await play({ planning: { reversals } });
    expect(verdicts(asCall.taken)).toEqual(["ok", "ok", "short-circuit", "ok"]);
    expect(asCall.taken[2]?.received).toEqual([]);
    expect(callOf(asCall.taken[2])).toBe(undone);
  });

  it("is marked as reverted once it is undone, and the plan goes on from where it was", async () => {
    const pages = { start: "The list of settings.", "checkbox a": "The list of settings, a is checked." };
    let toggled = false;
    const look = screen(pages, aside);
    const result = (tool: string, args: { readonly element?: unknown }) => {
      if (args.element !== "checkbox a") return look(tool, args);
      toggled = !toggled;
      return look("click", { element: toggled ? "checkbox a" : "start" });
    };
    const judge: JudgeScript = (_, index) =>
      index === 0 ? { distance: 3, distance_before: 1, unexplored: [] } : stalled();
    const rig = await planRig(doing("click start", "click checkbox a", "snapshot", "done"), {
      judge,
      policy: { planning: { reversals: { checkbox: "same" } } },
    });
    const taken = await pursue(rig, { tools, turns: 6, result });
    expect(taken.map(callOf).slice(3, 5)).toEqual(['click({"element":"checkbox a"})', callOf(taken[4])]);
    expect(await rig.plan()).toMatchObject({
      nodes: [{ at: 1, reverted: false }],
      undone: [{ at: 2, type: "checkbox", reverted: true, before: 3, after: 3 }],
    });
  });

  it("is not undone by a call when something else is shown by now, and is told of when that was judged as well", async () => {
    const rig = await planRig(doing("click checkbox a", "click other", "click more", "done"), {
      judge: always(stalled()),
      policy: { planning: { reversals: { checkbox: "same" } } },
    });
    const taken = await pursue(rig, { tools, turns: 5, result: screen({}, aside) });
    expect(verdicts(taken)).toEqual(["ok", "ok", "ok", "nudge"]);
    expect(noteIn(taken[3])).toContain('click({"element":"other"})');
  });

  it("is not spoken of when what was done meanwhile is the better way", async () => {
    const judge: JudgeScript = (_, index) => (index === 0 ? stalled() : { distance: 5, unexplored: [] });
    const rig = await planRig(doing("click a", "click b", "click c", "done"), { judge });
    expect(verdicts(await pursue(rig, { tools, turns: 5, result: screen({}, aside) }))).toEqual([
      "ok",
      "ok",
      "ok",
      "ok",
    ]);
  });

  it("is not undone by a call that the agent cannot make", async () => {
    const rig = await planRig(doing("click checkbox a", "snapshot", "done"), {
      judge: always(stalled()),
      policy: { planning: { reversals: { checkbox: { tool: "press_key", args: { key: "Space" } } } } },
    });
    const taken = await pursue(rig, { tools, turns: 4, result: screen({}, aside) });
    expect(verdicts(taken)).toEqual(["ok", "ok", "nudge"]);
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
    "click start",
    "click New",
    ...["snapshot", "type Ann", "snapshot", "type Bob", "snapshot", "click Help"],
    "snapshot",
  );
  const pages = {
    start: "A list of entries.",
    New: 'A dialog "New entry" with a name field.',
    Ann: 'The dialog "New entry" says that Ann is taken.',
    Bob: 'The dialog "New entry" says that Bob is taken.',
    Help: 'The dialog "New entry" has a help text that says nothing.',
  };

  it("one option after the other is suggested, and the action is undone after the last one", async () => {
    const rig = await planRig(model, { judge });
    const taken = await pursue(rig, { tools, turns: 10, result: screen(pages, aside) });
    const told = taken.filter(({ verdict }) => verdict === "nudge").map(noteIn);
    expect(told).toHaveLength(4);
    for (const [i, option] of options.entries()) expect(told[i]).toContain(`Do this next: "${option}".`);
    expect(told[3]).toContain("Undo it");
    expect(told[3]).toContain('click "Cancel" or "Close"');
    expect(told[3]).toContain("New");
  });

  it("the count of what was tried is kept with the action", async () => {
    const rig = await planRig(model, { judge });
    await pursue(rig, { tools, turns: 9, result: screen(pages, aside) });
    const nodes = (await rig.plan())?.nodes ?? [];
    expect(nodes).toHaveLength(5);
    expect(nodes.filter(({ type }) => type === "dialog")).toMatchObject([{ reverted: false }]);
    expect(nodes.at(-1)).toMatchObject({ explored: 3, reverted: false });
  });

  it("a note stays where it was put, word for word", async () => {
    const rig = await planRig(model, { judge });
    const taken = await pursue(rig, { tools, turns: 9, result: screen(pages, aside) });
    const first = taken.findIndex(({ verdict }) => verdict === "nudge");
    const sent = taken.slice(first + 1).flatMap(({ received }) => received);
    const note = noteIn(taken[first]);
    expect(sent.length).toBeGreaterThan(2);
    for (const body of sent) expect(body).toContain(JSON.stringify(note).slice(1, -1));
  });
});
