import { describe, expect, it } from "vitest";
import { guardRig } from "../proxy/guard-rig.ts";
import type { Script } from "../support/servers/upstream.ts";
import { type Action, type BrowserTurn, browse, type Shape, shapes } from "./browser-agent.ts";
import { passes, presetRig, type Rig, told } from "./rig.ts";

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

async function play(plan: readonly Planned[], { policy = {}, ...terms }: Terms = {}) {
  const { shape = calls, heeds = false } = terms;
  const rig = presetRig(planned(shape, plan, heeds), { extends: "consecutive-failures", ...policy });
  return played(rig, plan, terms);
}

async function played(rig: Rig, plan: readonly Planned[], { shape = calls, tells }: Terms) {
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
function expectPassed(turns: readonly BrowserTurn[]): void {
  expect(turns.map(({ received }) => received.map(({ bytes }) => String(bytes)))).toEqual(
    turns.map(({ sent }) => [JSON.stringify(sent)]),
  );
  expect(turns.map(({ text }) => text)).toEqual(turns.map(({ received }) => String(received[0]?.answer)));
}

const clicks = (...indices: readonly number[]) => indices.map((index) => working(click(index)));
const fails = (...indices: readonly number[]) => indices.map((index) => failing(click(index)));
const pair = failing(click(3), click(4));
const multi = (how: string) => ({ policy: { detectors: { "consecutive-failures": { multi: how } } } });
const reports = (report: (turn: number) => string) => ({ tells: (n: number) => calls.reports(report(n)) });

interface Row extends Terms {
  readonly says: string;
  readonly plan: readonly Planned[];
  readonly turns: string;
}

describe("the document of a browser agent that fails in a row says:", () => {
  it.each<Row>([
    {
      says: "a failure counts one, and a success sets the count back",
      plan: [...fails(1, 2), ...clicks(3), ...fails(4, 5), ...clicks(6)],
      turns: passes(6),
    },
    {
      says: "three in a row force the end, one more attempt, and it is over",
      plan: fails(...six),
      turns: "ok ok ok force-done end",
    },
    {
      says: "the number of failures may be set",
      plan: fails(1, 2, 3, 4),
      policy: { ladders: { "consecutive-failures:any": { "force-done": 2, "short-circuit": 3 } } },
      turns: "ok ok force-done end",
    },
    {
      says: "a step of several actions sets it back, though they fail",
      plan: [...fails(1, 2), pair, ...fails(5)],
      turns: passes(4),
    },
    {
      says: "unless any counts",
      plan: [...fails(1, 2), pair, ...fails(5)],
      ...multi("any"),
      turns: "ok ok ok force-done",
    },
    {
      says: "the same action on the same index ends at the third time, whatever the page shows",
      plan: clicks(5, 5, 5),
      ...reports((turn) => `Clicked: page ${turn}`),
      turns: "ok ok end",
    },
    {
      says: "another action on the same index sets it back",
      plan: ["click", "click", "input_text", "click", "click"].map((name) => working({ [name]: { index: 5 } })),
      turns: passes(5),
    },
    {
      says: "actions of one kind that lead to other places are other actions",
      plan: six.map((n) => working({ navigate: { url: `https://shop.test/${n}` } })),
      ...reports(() => "Navigated"),
      turns: passes(6),
    },
    { says: "it ends after 50 steps", plan: clicks(...Array(60).keys()), turns: passes(50, "end") },
    ...[
      { what: "scrolling", action: { scroll: { down: true } }, moved: (n: number) => `Scrolled to ${800 * n} of 9000` },
      {
        what: "waiting",
        action: { wait: { seconds: 3 } },
        moved: (n: number) => `Waited. The upload is at ${7 * n} %.`,
      },
      { what: "going back", action: { go_back: {} }, moved: (n: number) => `Went back to page number ${9 - n}` },
    ].flatMap(({ what, action, moved }): Row[] => {
      const plan = Array(6).fill(working(action));
      return [
        { says: `${what} goes on while it moves something`, plan, ...reports(moved), turns: passes(6) },
        { says: `${what} ends where nothing moves`, plan, ...reports(() => moved(1)), turns: "ok ok end" },
      ];
    }),
  ])("$says", async ({ plan, turns, ...terms }) => expect(told(await play(plan, terms))).toBe(turns));

  it.each([
    ["Action error 1/1: Element index 5 does not exist", "force-done"],
    ["クリックに失敗しました", "force-done"],
    ["🖱️ Clicked button: No, thanks", "ok"],
    ["Auf das Element geklickt", "ok"],
  ])("%s: the fourth turn is %s", async (report, last) =>
    expect(
      told(
        await play(
          clicks(1, 2, 3, 4),
          reports(() => report),
        ),
      ),
    ).toBe(`ok ok ok ${last}`),
  );
});

describe.each(shapes)("a browser agent that acts by $name", (shape) => {
  it("has to finish after three failures in a row, and finishes by itself", async () => {
    const turns = await play(fails(...Array(6).fill(123)), { shape, heeds: true });
    expect(told(turns)).toBe("ok ok ok force-done");
    const request = JSON.parse(String(turns[3]?.received[0]?.bytes));
    expect(shape.isForced(request)).toBe(true);
    const note = JSON.stringify(request.messages.at(-1));
    for (const part of [
      "failed 3 times",
      "we terminate the agent",
      'Your only tool is \\"done\\"',
      "none of the others in the history or in examples",
      "success=false",
      "else success=true",
      "everything you have found out",
      task,
    ])
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

it("is ended over HTTP as well", async () => {
  const plan = fails(...six);
  const rig = await guardRig(planned(calls, plan, false), { policy: "consecutive-failures" });
  expect(told(await played(rig, plan, {}))).toBe("ok ok ok force-done end");
});
