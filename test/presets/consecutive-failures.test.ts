import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guardRig } from "../proxy/guard-rig.ts";
import type { Script } from "../support/servers/upstream.ts";
import { type Action, type BrowserTurn, browse, type Shape, shapes } from "./browser-agent.ts";
import { passes, presetRig, type Rig, told } from "./rig.ts";

const task = "Find the cheapest flight from Lisbon to Oslo and report its price.";
const click = (index: number): Action => ({ click: { index } });
const [calls, ...others] = shapes as [Shape, ...Shape[]];

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
const reports = (report: (turn: number) => string, shape = calls) => ({
  tells: (n: number) => shape.reports(report(n)),
});

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
      says: "there may be no final attempt",
      plan: fails(...six),
      policy: { finalResponseAfterFailure: false, ladders: { "consecutive-failures:any": { "short-circuit": 3 } } },
      turns: "ok ok ok end",
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
    { says: "or all count", plan: [...fails(1, 2), pair, ...fails(5)], ...multi("all"), turns: "ok ok ok force-done" },
    {
      says: "the same action on the same index ends at the third time, whatever the page shows",
      plan: clicks(5, 5, 5),
      ...reports((turn) => `Clicked: page ${turn}`),
      turns: "ok ok end",
    },
    { says: "another index between sets that count back", plan: clicks(5, 5, 6, 5, 5), turns: passes(5) },
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
    {
      says: "or as many as a policy says",
      plan: clicks(...six),
      policy: { ladders: { "budget:steps": { "short-circuit": 4 } } },
      turns: passes(4, "end"),
    },
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

  const inTurn = (text: string, i: number) => [text, shapes[i % shapes.length] ?? calls] as const;

  it.each(
    [
      "Element not found",
      "Action error 1/1: Element index 5 does not exist",
      "❌ Element not found",
      "Timeout 30000ms exceeded.",
      "Fehler: Element nicht gefunden",
      "Das Element konnte nicht angeklickt werden",
      "Erreur : élément introuvable",
      "No se pudo hacer clic en el elemento",
      "Não foi possível clicar",
      "要素が見つかりません",
      "クリックに失敗しました",
      "未找到元素",
      "요소를 찾을 수 없습니다",
    ].map(inTurn),
  )("%s is a failure", async (report, shape) =>
    expect(told(await play(clicks(1, 2, 3, 4), { shape, ...reports(() => report, shape) }))).toBe(
      "ok ok ok force-done",
    ),
  );

  it.each(
    [
      "Clicked the button",
      "🖱️ Clicked button: No, thanks",
      "Auf das Element geklickt",
      "Clic effectué",
      "Se hizo clic",
      "Cliquei no elemento",
      "クリックしました",
      "已点击元素",
      "클릭했습니다",
    ].map(inTurn),
  )("%s is none", async (report, shape) =>
    expect(told(await play(clicks(1, 2, 3, 4), { shape, ...reports(() => report, shape) }))).toBe(passes(4)),
  );

  it.each([
    {
      says: "moves, and the run goes on",
      state: (n: number) => `The page shows hotels from ${n * 10} on.`,
      last: "ok",
    },
    { says: "stays, and the run ends", state: () => "The page shows hotels from 10 on.", last: "end" },
  ])("a page's state that is told beside a report $says", async ({ state, last }) => {
    let looks = 0;
    const tell: Shape["tell"] = (message, results) => [
      ...calls.tell(message, results),
      { role: "user", content: state(looks++) },
    ];
    const plan = Array(6).fill(working({ scroll: { down: true } }));
    const turns = await play(plan, { shape: { ...calls, tell }, tells: () => "Scrolled down" });
    expect(told(turns.slice(-1))).toBe(last);
  });
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

  it("is ended after its fourth failure if it does not finish, and in place of its third equal action", async () => {
    const failed = await play(fails(...Array(6).fill(123)), { shape });
    expect(told(failed)).toBe("ok ok ok force-done end");
    expect(failed[4]?.received).toEqual([]);
    expect(JSON.stringify([failed[4]?.message, failed[4]?.actions])).toContain("stopped");
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

/** The documented rules, written down once more: what becomes of each turn of a plan. */
function expected(plan: readonly Planned[]): string {
  const verdicts: string[] = [];
  let failures = 0;
  let forced = false;
  for (const [turn, { actions, fails }] of plan.entries()) {
    // What the third time would bring is taken to be what the second one did.
    const foreseen = { actions, fails: plan[turn - 1]?.fails ?? false };
    const isOver =
      (forced && failures > 3) ||
      isRepeated(plan.slice(Math.max(0, turn - 3), turn)) ||
      isRepeated([...plan.slice(Math.max(0, turn - 2), turn), foreseen]);
    if (isOver) return [...verdicts, "end"].join(" ");
    verdicts.push(failures === 3 ? "force-done" : "ok");
    forced = failures === 3;
    failures = fails && actions.length === 1 ? failures + 1 : 0;
  }
  return verdicts.join(" ");
}

/** Three times the same, and not for nothing each time: that is counted as failures. */
function isRepeated(steps: readonly Planned[]): boolean {
  const same = new Set(steps.map(({ actions }) => JSON.stringify(actions))).size === 1;
  return steps.length === 3 && same && !steps.every(({ fails }) => fails);
}

it("every plan ends as the documented rules say", async () => {
  const anyClick = fc.nat(2).map(click);
  const anyStep = fc.record({
    actions: fc.oneof(
      { weight: 4, arbitrary: fc.tuple(anyClick) },
      { weight: 1, arbitrary: fc.tuple(anyClick, anyClick) },
    ),
    fails: fc.nat(2).map((one) => one > 0),
  });
  const anyPlan = fc.array(anyStep, { minLength: 4, maxLength: 9, size: "max" });
  await fc.assert(
    fc.asyncProperty(anyPlan, fc.constantFrom(...others), async (plan, shape) => {
      expect(told(await play(plan, { shape }))).toBe(expected(plan));
    }),
  );
});
