import { describe, expect, it } from "vitest";
import type { Script } from "../support/servers/upstream.ts";
import { type Action, browse, type Shape, shapes } from "./browser-agent.ts";
import { passes, presetRig, told } from "./rig.ts";

const task = "Find the cheapest flight from Lisbon to Oslo and report its price.";
const click = (index: number): Action => ({ click: { index } });
const [calls] = shapes as [Shape, ...Shape[]];

/** A step: what is done, and whether that fails. */
interface Planned {
  readonly actions: readonly Action[];
  readonly fails: boolean;
}

const failing = (...actions: readonly Action[]): Planned => ({ actions, fails: true });
const working = (...actions: readonly Action[]): Planned => ({ actions, fails: false });
const six = [1, 2, 3, 4, 5, 6];

/** A model that goes by the plan, and finishes when it is made to if it `heeds` that. */
function planned(shape: Shape, plan: readonly Planned[], heeds: boolean): Script {
  let at = 0;
  return ({ json }) => {
    if (heeds && shape.isForced(json as Readonly<Record<string, unknown>>))
      return shape.answer([{ done: { success: false, text: "Clicking did not work." } }]);
    return shape.answer(plan[Math.min(at++, plan.length - 1)]?.actions ?? []);
  };
}

interface Terms {
  readonly shape?: Shape;
  readonly heeds?: boolean;
  readonly policy?: object;
  /** What comes of each turn's action, in place of what the shape has for success and failure. */
  readonly tells?: (turn: number) => string;
}

async function play(plan: readonly Planned[], { policy = {}, shape = calls, heeds = false, tells }: Terms = {}) {
  const rig = presetRig(planned(shape, plan, heeds), { extends: "consecutive-failures", ...policy });
  const usual = (action: Action, turn: number): string =>
    plan[turn]?.fails ? shape.failure : `Action result: Clicked ${JSON.stringify(action)}`;
  const turns = await browse(rig, shape, {
    task,
    turns: plan.length,
    result: (action, turn) => tells?.(turn) ?? usual(action, turn),
  });
  const first = turns.findIndex(({ headers }) => headers.get("x-unloop-verdict") !== "ok");
  expectPassed(first === -1 ? turns : turns.slice(0, first));
  return turns;
}

/** Until something is done, the model sees what was sent and the agent what was answered, byte for byte. */
function expectPassed(turns: Awaited<ReturnType<typeof browse>>): void {
  expect(turns.map(({ received }) => received.map(({ bytes }) => String(bytes)))).toEqual(
    turns.map(({ sent }) => [JSON.stringify(sent)]),
  );
  expect(turns.map(({ text }) => text)).toEqual(turns.map(({ received }) => String(received[0]?.answer)));
}

const clicks = (...indices: readonly number[]) => indices.map((index) => working(click(index)));
const fails = (...indices: readonly number[]) => indices.map((index) => failing(click(index)));
const pair = failing(click(3), click(4));
const reports = (report: (turn: number) => string) => ({ tells: (n: number) => calls.reports(report(n)) });

type Row = readonly [says: string, plan: readonly Planned[], turns: string, terms: Terms];
const usual: Terms = {};
const same = (name: string) => working({ [name]: { index: 5 } });
const moves: readonly (readonly [what: string, action: Action, moved: (n: number) => string])[] = [
  ["scrolling", { scroll: { down: true } }, (n) => `Scrolled to ${800 * n} of 9000`],
  ["waiting", { wait: { seconds: 3 } }, (n) => `Waited. The upload is at ${7 * n} %.`],
];

describe("the document of a browser agent that fails in a row says:", () => {
  it.each<Row>([
    ["a success sets the count back", [...fails(1, 2), ...clicks(3), ...fails(4, 5), ...clicks(6)], passes(6), usual],
    ["three in a row force the end, one more attempt, and it is over", fails(...six), "ok ok ok force-done end", usual],
    ["a step of several actions sets it back, though they fail", [...fails(1, 2), pair, ...fails(5)], passes(4), usual],
    [
      "the same action on the same index ends at the third time, whatever the page shows",
      ...([clicks(5, 5, 5), "ok ok end", reports((turn) => `Clicked: page ${turn}`)] as const),
    ],
    [
      "another action on the same index sets it back",
      ...([["click", "click", "input_text", "click", "click"].map(same), passes(5), usual] as const),
    ],
    [
      "a report that denies is a failure, in any language",
      ...([clicks(1, 2, 3, 4), "ok ok ok force-done", reports(() => "クリックに失敗しました")] as const),
    ],
    ["it ends after 50 steps", clicks(...Array(60).keys()), passes(50, "end"), usual],
    ...moves.flatMap(([what, action, moved]): Row[] => {
      const plan = Array(6).fill(working(action));
      return [
        [`${what} goes on while it moves something`, plan, passes(6), reports(moved)],
        [`${what} ends where nothing moves`, plan, "ok ok end", reports(() => moved(1))],
      ];
    }),
  ])("%s", async (_, plan, turns, terms) => expect(told(await play(plan, terms))).toBe(turns));
});

describe.each(shapes)("a browser agent that acts by $name", (shape) => {
  it("has to finish after three failures in a row, and finishes by itself", async () => {
    const turns = await play(fails(...Array(6).fill(123)), { shape, heeds: true });
    expect(told(turns)).toBe("ok ok ok force-done");
    const request = JSON.parse(String(turns[3]?.received[0]?.bytes));
    expect(shape.isForced(request)).toBe(true);
    const note = JSON.stringify(request.messages.at(-1));
    for (const part of ["failed 3 times", "terminate", 'Your only tool is \\"done\\"', "success=false", task])
      expect(note).toContain(part);
    expect(turns[3]?.actions).toEqual([{ done: { success: false, text: "Clicking did not work." } }]);
  });

  it("is ended in place of its third equal action, and after its fourth failure", async () => {
    expect(told(await play(fails(...six), { shape }))).toBe("ok ok ok force-done end");
    const repeated = await play(clicks(5, 5, 5, 5, 5), { shape });
    expect(told(repeated)).toBe("ok ok end");
    expect(JSON.stringify([repeated[2]?.message, repeated[2]?.actions])).toMatch(/click.*index 5.*3 times/);
  });
});
