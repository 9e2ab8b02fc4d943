import { describe, expect, it } from "vitest";
import { ways } from "./dialogue.ts";
import { walk } from "./walk.ts";

const home = "The home page, with nothing of the goal in it.";
const dialog = 'A dialog "New entry" has opened, with fields C, D and E.';
const tried = (name: string) => `The dialog "New entry" says that ${name} is wrong.`;

/** As some judges answer: a score and why, under other names. */
const scored = (distance_score: number, more: object = {}) => ({ distance_score, reasoning: "So it looks.", ...more });

describe.each(ways)("a plan whose requests wait for the judge, answered with $kind", ({ extra }) => {
  it("is decided on by the action just taken", async () => {
    const { told } = await walk(
      [
        ["start", "The start page, with a menu."],
        ["Home", home],
      ],
      (_, i) => scored(i === 0 ? 5 : 4, { options: [{ name: "search", description: "use the search" }] }),
      { extra },
    );
    expect(told.map(({ verdict }) => verdict)).toEqual(["ok", "nudge"]);
    expect(told[1]?.note).toContain("Home");
    expect(told[1]?.note).toContain('Do this next: "use the search"');
  });

  it("has each action as a node of its own, and a dialog is undone by Cancel, after any number of dead ends", async () => {
    const left = [["x"], [], ["C", "D", "E"], ["D", "E"], ["E"], []];
    const { told, rig } = await walk(
      [
        ["start", "The start page."],
        ["Home", home],
        ["New", dialog],
        ...["C", "D", "E"].map((one) => [one, tried(one)] as const),
      ],
      (_, i) => ({ distance: 3, distance_before: i === 0 ? 1 : 3, unexplored: left[i] ?? [] }),
      { extra },
    );
    expect(told.map(({ verdict }) => verdict)).toEqual(["ok", ...Array(5).fill("nudge")]);
    expect(told[1]?.note).toContain("there is no standard way");
    for (const [i, option] of ["C", "D", "E"].entries())
      expect(told[2 + i]?.note).toContain(`Do this next: "${option}".`);
    expect(told[5]?.note).toContain('"New"');
    expect(told[5]?.note).toContain('click "Cancel" or "Close"');
    expect((await rig.plan())?.nodes.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("is met by a judge that says 10 and no more", async () => {
    const { told } = await walk(
      [
        ["start", home],
        ["New", dialog],
      ],
      (_, i) => scored(i === 0 ? 2 : 10),
      { extra },
    );
    expect(told.map(({ verdict }) => verdict)).toEqual(["ok", "force-done"]);
  });

  it("hears of no progress from a judge that names no options: twice to try on, then to undo", async () => {
    const pages = ["one", "two", "three", "four"].map(
      (name) => [name, `The page ${name}, with things of its own.`] as const,
    );
    const { told } = await walk([["start", home], ...pages], () => scored(3), { extra });
    expect(told.slice(1, 4).map(({ note }) => note.includes("Undo it"))).toEqual([false, false, true]);
    expect(told[1]?.note).toContain("take a different approach");
  });

  it("goes on unhindered while each action brings it nearer", async () => {
    const pages = ["one", "two", "three", "four"].map(
      (name) => [name, `The page ${name}, with things of its own.`] as const,
    );
    const { told } = await walk(pages, (_, i) => scored(2 * i), { extra });
    expect(new Set(told.map(({ verdict }) => verdict))).toEqual(new Set(["ok"]));
  });
});

it("a judge that is not there in time holds nothing up", async () => {
  const { told, rig } = await walk(
    [
      ["start", home],
      ["New", dialog],
    ],
    () => ({ kind: "silent" }) as never,
    { wait: 50 },
  );
  expect(told.map(({ verdict }) => verdict)).toEqual(["ok", "ok"]);
  expect(rig.upstream.requests).toHaveLength(2);
});
