import { describe, expect, it } from "vitest";
import { isHistory, takeIn } from "../../src/goal-judge/goal-judge.ts";
import { ask, call, conversation, heard, said, shortened, times, together } from "../support/builders/steps.ts";
import { play, termsWith, type Turn } from "./plan.ts";

const page = (name: string) => `You are on the page ${name}, which has a few things to see.`;
const act = (name: string, shows = page(name)) => call("click", { element: name }, shows);
const turn = (name: string, verdict?: Turn["verdict"], shows?: string): Turn => ({
  step: act(name, shows),
  ...(verdict && { verdict }),
});
const last = (turns: readonly Turn[]) => play(turns).at(-1)?.history;
const tools = (some: readonly { readonly act: string }[] | undefined) => some?.length;

describe("the stack of a plan", () => {
  it("has the distance before and after each action", () => {
    const history = last([
      turn("a", { distance: 2, before: 1 }),
      turn("b", { distance: 4 }),
      turn("c", { distance: 7 }),
    ]);
    expect(history?.nodes.map(({ before, after }) => [before, after])).toEqual([
      ...[
        [1, 2],
        [2, 4],
        [4, 7],
      ],
    ]);
  });

  it("has the state before and after each action, as signatures that are equal for equal states", () => {
    const nodes = last([turn("a"), turn("b"), turn("c", undefined, page("a"))])?.nodes ?? [];
    expect(nodes.map(({ stateBefore }) => stateBefore)).toEqual(["", nodes[0]?.stateAfter, nodes[1]?.stateAfter]);
    expect(nodes[2]?.stateAfter).toBe(nodes[0]?.stateAfter);
    expect(JSON.stringify(nodes)).not.toContain("page");
  });

  it("has each action as a node of its own, after any number of dead ends", () => {
    const stalled = [turn("a", { distance: 2, before: 1 }), turn("b", { distance: 2, unexplored: ["x", "y"] })];
    expect(last([...stalled, turn("c", { distance: 2, unexplored: ["y"] })])?.nodes).toHaveLength(3);
    const deadEnds = times(6, (i) => turn(`dead ${i}`, { distance: 2, unexplored: [`way ${i}`] }));
    expect(last([...stalled, ...deadEnds])?.nodes.map(({ at }) => at)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("counts the options that were tried", () => {
    const history = last([
      turn("a", { distance: 2, before: 1 }),
      turn("b", { distance: 2, unexplored: ["x", "y", "z"] }),
      turn("c", { distance: 2, unexplored: ["z"] }),
    ]);
    expect(history?.nodes.at(-1)).toMatchObject({ explored: 3, told: { kind: "option", at: 3 } });
    expect(history?.nodes.at(-1)?.options).toHaveLength(3);
  });

  it("shrinks by an action that was undone as it was told, which is kept as reverted", () => {
    const history = last([
      turn("a", { distance: 2, before: 1 }),
      turn("b", { distance: 1, unexplored: [] }),
      turn("back", undefined, page("a")),
    ]);
    expect(history?.nodes).toHaveLength(1);
    expect(history?.undone).toMatchObject([{ at: 2, reverted: true }]);
    expect(history?.distance).toBe(2);
  });

  it("does not shrink by going back unasked: that is going in circles", () => {
    const history = last([turn("a"), turn("b"), turn("back", undefined, page("a"))]);
    expect([tools(history?.nodes), tools(history?.undone)]).toEqual([3, 0]);
  });

  it("learns from a look what an action led to", () => {
    const look = { step: call("browser_snapshot", {}, page("b")) };
    const nodes = last([turn("a"), turn("b", undefined, "ok"), look])?.nodes ?? [];
    expect(nodes).toHaveLength(2);
    expect(nodes[1]?.stateAfter).toBe(last([turn("a"), turn("b")])?.nodes[1]?.stateAfter);
  });

  it("is bounded", () => {
    const history = last(times(80, (i) => turn(`n${i}`, { distance: 5, before: 1, unexplored: undefined })));
    expect(history?.taken).toBe(80);
    expect(JSON.stringify(last(times(80, (i) => turn(`n${i}`)))).length).toBeLessThan(40_000);
  });
});

describe("a plan is followed", () => {
  const steps = [act("a"), act("b"), act("c")];

  it("a request counts once for its plan, however often it comes", () => {
    const taken = takeIn(undefined, conversation(steps), termsWith());
    expect(takeIn(taken, conversation(steps), termsWith())).toBe(taken);
  });

  it("a plan is followed as far as something has come back", () => {
    const pending = together(ask("click", { element: "d" }));
    expect(takeIn(undefined, conversation([...steps, pending, said("Hm.")]), termsWith()).taken).toBe(3);
  });

  it("a plan is followed over a history that was shortened", () => {
    const whole = takeIn(undefined, conversation(steps), termsWith());
    const longer = conversation([...steps, act("d"), act("e")]);
    expect(takeIn(whole, shortened(longer, 2), termsWith()).taken).toBe(5);
    expect(takeIn(whole, shortened(longer, 4), termsWith()).taken).toBe(4);
  });

  it("a plan begins anew when the user asks for something else, and not at a go-ahead", () => {
    const begun = takeIn(undefined, conversation(steps), termsWith());
    const go = conversation([...steps, heard("continue"), act("d")]);
    expect(takeIn(begun, go, termsWith()).taken).toBe(4);
    const other = conversation([...steps, heard("Now find the cheapest hotel in Oslo instead."), act("d")]);
    expect(takeIn(begun, other, termsWith())).toMatchObject({ taken: 1, acts: 1 });
  });

  it("a task and states told as by a user are one plan", () => {
    const terms = termsWith({ task: "first" });
    const harness = conversation([
      heard("Buy milk."),
      act("a", "ok"),
      heard(page("a")),
      act("b", "ok"),
      heard(page("a")),
    ]);
    const taken = takeIn(undefined, harness, terms);
    expect(taken).toMatchObject({ taken: 2, acts: 2 });
    expect(taken.shown[0]).not.toBe("");
    expect(taken.shown[0]).toBe(taken.shown[1]);
    expect(takeIn(undefined, harness, termsWith())).toMatchObject({ taken: 0 });
  });

  it.each([
    "",
    null,
    {},
    [],
    { goal: "g" },
    { goal: "g", taken: 1, acts: 1, looks: 0, falls: 0, keys: [], shown: [], nodes: [{}], undone: [] },
  ])("is no plan where what was kept is %j", (kept) => expect(isHistory(kept)).toBe(false));

  it("a plan goes on from what was kept", () => {
    const taken = takeIn(undefined, conversation(steps), termsWith());
    expect(JSON.parse(JSON.stringify(taken))).toSatisfy(isHistory);
  });
});
