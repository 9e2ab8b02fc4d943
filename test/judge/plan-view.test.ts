import { describe, expect, it } from "vitest";
import { call, times } from "../support/builders/steps.ts";
import { play, type Turn } from "./plan.ts";

const page = (name: string) => `You are on the page ${name}, which has a few things to see.`;
const hall = "You are in the hall, which has three doors.";
const turn = (name: string, score?: Turn["score"], shows = page(name)): Turn => ({
  step: call("click", { element: name }, shows),
  ...(score && { score }),
});
const start = turn("start", { distance: 3, before: 1 });
const last = (turns: readonly Turn[], judge = {}) => play(turns, judge).at(-1);
const scores = (turns: readonly Turn[]) => last(turns)?.plan.nodes.map(({ before, after }) => [before, after]);
/** What follows after each turn. */
const words = (turns: readonly Turn[], judge = {}) =>
  play(turns, judge).map(({ change }) => [change?.kind ?? "retain", change?.course.why].join(" ").trim());

describe("the stack of a plan", () => {
  it("has states and scores before and after each action", () => {
    const turns = [
      turn("a", { distance: 2, before: 1 }),
      turn("b", { distance: 4 }),
      turn("c", { distance: 7 }, page("a")),
    ];
    expect(scores(turns)).toEqual([
      [1, 2],
      [2, 4],
      [4, 7],
    ]);
    const nodes = last(turns)?.plan.nodes ?? [];
    expect(nodes.map(({ stateBefore }) => stateBefore)).toEqual(["", nodes[0]?.stateAfter, nodes[1]?.stateAfter]);
    expect(nodes[2]?.stateAfter).toBe(nodes[0]?.stateAfter);
  });

  it("shrinks by an action that was undone as it was told, and not by going back unasked", () => {
    const undone = last([start, turn("b", { distance: 1 }), turn("back", undefined, page("start"))])?.plan;
    expect([undone?.nodes.length, undone?.undone.map(({ at }) => at), undone?.distance]).toEqual([1, [1], 3]);
    const unasked = last([turn("a"), turn("b"), turn("back", undefined, page("a"))])?.plan;
    expect([unasked?.nodes.length, unasked?.undone]).toEqual([3, []]);
  });
});

describe("a plan is given up", () => {
  it.each([
    {
      name: "when the same state has come three times",
      turns: times(3, (i) => turn(`${i}`, { distance: 4 + i }, hall)),
      why: "cancel state",
    },
  ])("$name", ({ turns, why }) => {
    const decided = words(turns, { maxSteps: 6 });
    expect(decided.at(-1)).toBe(why);
    expect(decided.slice(0, -1).join()).not.toContain("cancel");
  });

  it("for good, until the user asks for something else", () => {
    const late = times(3, (i) => turn(`on ${i}`, { distance: 6 + i }));
    expect(words([start, turn("next", { distance: 5, reachable: false }), ...late])).toEqual([
      ...["retain", ...times(4, () => "cancel unreachable")],
    ]);
  });

  it.each([
    {
      name: "comes back to a state because it was told to",
      turns: [
        turn("start", { distance: 4, before: 1 }, hall),
        ...["a", "b", "c"].flatMap((name) => [turn(name, { distance: 4 }), turn("back", { distance: 4 }, hall)]),
      ],
    },
  ])("and not where it $name", ({ turns }) => expect(words(turns).join()).not.toContain("cancel"));
});
