import { describe, expect, it } from "vitest";
import { policyFrom } from "../../src/policy/policy.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import type { Script } from "../support/servers/upstream.ts";
import { guardRig } from "../proxy/guard-rig.ts";
import { type Action, type BrowserTurn, browse, type Shape, shapes } from "./browser-agent.ts";

const task = "Find the cheapest flight from Lisbon to Oslo and report its price.";
const click = (index: number): Action => ({ click: { index } });

/** A step: what is done, and whether that fails. */
interface Planned {
  readonly actions: readonly Action[];
  readonly fails: boolean;
}

const failing = (...actions: readonly Action[]): Planned => ({ actions, fails: true });
const working = (...actions: readonly Action[]): Planned => ({ actions, fails: false });

/** A model that goes by the plan, and finishes when it is made to if it `heeds` that. */
function planned(shape: Shape, plan: readonly Planned[], heeds: boolean): Script {
  let at = 0;
  return ({ json }): ScriptedAnswer => {
    if (heeds && shape.isForced(json as Readonly<Record<string, unknown>>))
      return shape.answer([{ done: { success: false, text: "Clicking did not work." } }]);
    const step = plan[Math.min(at, plan.length - 1)];
    at += 1;
    return shape.answer(step?.actions ?? []);
  };
}

interface PlayTerms {
  readonly heeds?: boolean;
  readonly policy?: object;
  /** What comes of each turn's action, in place of what the shape has for success and failure. */
  readonly tells?: (turn: number) => string;
}

async function play(
  shape: Shape,
  plan: readonly Planned[],
  { heeds = true, policy = {}, tells }: PlayTerms = {},
): Promise<readonly BrowserTurn[]> {
  const rig = await guardRig(planned(shape, plan, heeds), {
    policy: policyFrom({ extends: "consecutive-failures", ...policy }),
  });
  const usual = (action: Action, turn: number): string =>
    plan[Math.min(turn, plan.length - 1)]?.fails ? shape.failure : `Action result: Clicked ${JSON.stringify(action)}`;
  const result = (action: Action, turn: number): string => tells?.(turn) ?? usual(action, turn);
  const turns = await browse(rig, shape, { task, turns: plan.length, result, extra: {} });
  const first = turns.findIndex(({ verdict }) => verdict !== "ok");
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

const verdicts = (turns: readonly BrowserTurn[]) => turns.map(({ verdict }) => verdict);
const lastText = (turn: BrowserTurn | undefined) => JSON.stringify([turn?.message, turn?.actions]);

describe.each(shapes.map((shape) => ({ shape, name: shape.name })))(
  "a browser agent that acts by $name",
  ({ shape }) => {
    it("goes on after a step that failed once, with every request as it was sent", async () => {
      const turns = await play(shape, [failing(click(123)), working(click(124)), failing(click(5)), working(click(6))]);
      expect(verdicts(turns)).toEqual(["ok", "ok", "ok", "ok"]);
      expect(turns.map(({ received }) => JSON.parse(String(received[0]?.bytes)))).toEqual(
        turns.map(({ sent }) => sent),
      );
    });

    it("has to finish after three failures in a row, and finishes by itself", async () => {
      const turns = await play(shape, Array(6).fill(failing(click(123))));
      expect(verdicts(turns)).toEqual(["ok", "ok", "ok", "force-done"]);
      const forced = JSON.parse(String(turns[3]?.received[0]?.bytes));
      expect(shape.isForced(forced)).toBe(true);
      const told = JSON.stringify(forced.messages.at(-1));
      const parts = [
        "failed 3 times",
        "we terminate the agent",
        'Your only tool is \\"done\\"',
        "only tool",
        "none of the others in the history or in examples",
        "success=false",
        "else success=true",
        "everything you have found out",
        task,
      ];
      for (const part of parts) expect(told).toContain(part);
      expect(turns[3]?.actions).toEqual([{ done: { success: false, text: "Clicking did not work." } }]);
    });

    it("is ended after its fourth failure, if it does not finish when it has to", async () => {
      const turns = await play(shape, Array(6).fill(failing(click(123))), { heeds: false });
      expect(verdicts(turns)).toEqual(["ok", "ok", "ok", "force-done", "short-circuit"]);
      expect(turns[4]?.received).toEqual([]);
      expect(lastText(turns[4])).toContain("stopped");
    });

    it("is ended after three failures where no final response is allowed", async () => {
      const policy = {
        finalResponseAfterFailure: false,
        ladders: { "consecutive-failures:any": { "short-circuit": 3 } },
      };
      const turns = await play(shape, Array(6).fill(failing(click(123))), { heeds: false, policy });
      expect(verdicts(turns)).toEqual(["ok", "ok", "ok", "short-circuit"]);
    });

    it("is ended in place of the third time that it does the same on the same index, with the reason", async () => {
      const turns = await play(shape, Array(5).fill(working(click(5))));
      expect(verdicts(turns)).toEqual(["ok", "ok", "short-circuit"]);
      expect(lastText(turns[2])).toMatch(/click.*index 5.*3 times/);
    });

    it("is not ended for the same action on other indices, nor for other actions on the same", async () => {
      const indices = await play(
        shape,
        [1, 2, 3, 4].map((index) => working(click(index))),
      );
      const actions = ["click", "input_text", "hover", "click"].map((name) => working({ [name]: { index: 5 } }));
      expect(verdicts(indices)).toEqual(["ok", "ok", "ok", "ok"]);
      expect(verdicts(await play(shape, actions))).toEqual(["ok", "ok", "ok", "ok"]);
    });

    it.each([
      { multi: "reset", verdict: "ok" },
      { multi: "any", verdict: "force-done" },
      { multi: "all", verdict: "force-done" },
    ])("counts a step of several failing actions as a policy says: $multi", async ({ multi, verdict }) => {
      const policy = { detectors: { "consecutive-failures": { multi } } };
      const plan = [failing(click(1)), failing(click(2)), failing(click(3), click(4)), failing(click(5))];
      expect(verdicts(await play(shape, plan, { policy })).at(-1)).toBe(verdict);
    });

    it.each([
      "Element not found",
      "Action error 1/1: Element index 5 does not exist",
      "❌ Element not found",
      "Timeout 30000ms exceeded.",
      "Fehler: Element nicht gefunden",
      "Das Element konnte nicht angeklickt werden",
      "Erreur : élément introuvable",
      "Élément introuvable",
      "No se pudo hacer clic en el elemento",
      "Não foi possível clicar",
      "要素が見つかりません",
      "クリックに失敗しました",
      "未找到元素",
      "요소를 찾을 수 없습니다",
    ])("has to finish after three reports such as %s", async (report) => {
      const plan = [1, 2, 3, 4].map((index) => working(click(index)));
      expect(verdicts(await play(shape, plan, { tells: () => shape.reports(report) }))).toEqual([
        "ok",
        "ok",
        "ok",
        "force-done",
      ]);
    });

    it.each([
      "Clicked the button",
      "🖱️ Clicked button: No, thanks",
      "Auf das Element geklickt",
      "Clic effectué",
      "Se hizo clic",
      "Cliquei no elemento",
      "クリックしました",
      "已点击元素",
      "클릭했습니다",
    ])("goes on after reports such as %s", async (report) => {
      const plan = [1, 2, 3, 4].map((index) => working(click(index)));
      expect(verdicts(await play(shape, plan, { tells: () => shape.reports(report) }))).toEqual([
        "ok",
        "ok",
        "ok",
        "ok",
      ]);
    });

    it.each([
      { name: "scrolling", action: { scroll: { down: true } }, moved: (n: number) => `Scrolled to ${800 * n} of 9000` },
      {
        name: "waiting",
        action: { wait: { seconds: 3 } },
        moved: (n: number) => `Waited. The upload is at ${7 * n} %.`,
      },
      { name: "going back", action: { go_back: {} }, moved: (n: number) => `Went back to page number ${9 - n}` },
    ])("is ended while $name moves nothing, and goes on while it does", async ({ action, moved }) => {
      const plan = Array(6).fill(working(action));
      expect(verdicts(await play(shape, plan, { tells: (n) => shape.reports(moved(n)) }))).toEqual(Array(6).fill("ok"));
      const still = await play(shape, plan, { tells: () => shape.reports(moved(1)) });
      expect(verdicts(still)).toEqual(["ok", "ok", "short-circuit"]);
    });

    it("is not ended for actions of one kind that lead to other places", async () => {
      const plan = [1, 2, 3, 4, 5, 6].map((n) => working({ navigate: { url: `https://shop.test/${n}` } }));
      expect(verdicts(await play(shape, plan, { tells: () => shape.reports("Navigated") }))).toEqual(
        Array(6).fill("ok"),
      );
    });

    it("is ended after 50 steps", async () => {
      const plan = Array.from({ length: 60 }, (_, index) => working(click(index)));
      const turns = await play(shape, plan);
      expect(verdicts(turns)).toEqual([...Array(50).fill("ok"), "short-circuit"]);
    });
  },
);

describe("a page's state that is told beside a report", () => {
  it.each([
    {
      name: "moves, and the run goes on",
      state: (n: number) => `The page shows hotels from ${n * 10} on.`,
      last: "ok",
    },
    { name: "stays, and the run ends", state: () => "The page shows hotels from 10 on.", last: "short-circuit" },
  ])("$name", async ({ state, last }) => {
    const [calls] = shapes;
    if (calls === undefined) throw new Error("There is no such shape.");
    let told = 0;
    const tell: Shape["tell"] = (message, results) => [
      ...calls.tell(message, results),
      { role: "user", content: state(told++) },
    ];
    const plan = Array(6).fill(working({ scroll: { down: true } }));
    const turns = await play({ ...calls, tell }, plan, { tells: () => "Scrolled down" });
    expect(verdicts(turns).at(-1)).toBe(last);
  });
});

/** The documented rules, written down once more: what becomes of each turn of a plan. */
function expected(plan: readonly Planned[]): readonly string[] {
  const verdicts: string[] = [];
  let failures = 0;
  let forced = false;
  for (const [turn, { actions, fails }] of plan.entries()) {
    if (forced && failures > 3) return [...verdicts, "short-circuit"];
    if (isRepeated(plan.slice(Math.max(0, turn - 3), turn))) return [...verdicts, "short-circuit"];
    // What the third time would bring is taken to be what the second one did.
    const foreseen = { actions, fails: plan[turn - 1]?.fails ?? false };
    if (isRepeated([...plan.slice(Math.max(0, turn - 2), turn), foreseen])) return [...verdicts, "short-circuit"];
    verdicts.push(failures === 3 ? "force-done" : "ok");
    forced = failures === 3;
    failures = fails && actions.length === 1 ? failures + 1 : 0;
  }
  return verdicts;
}

/** Three times the same, and not for nothing each time: that is counted as failures. */
function isRepeated(steps: readonly Planned[]): boolean {
  const same = new Set(steps.map(({ actions }) => JSON.stringify(actions))).size === 1;
  return steps.length === 3 && same && !steps.every(({ fails }) => fails);
}

/** The same plans at every run. */
function plans(count: number): readonly (readonly Planned[])[] {
  let seed = 7;
  const below = (n: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % n;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 4 + below(6) }, () => ({
      actions: Array.from({ length: below(5) === 0 ? 2 : 1 }, () => click(below(3))),
      fails: below(3) > 0,
    })),
  );
}

describe.each([
  { shape: shapes[1], half: 0 },
  { shape: shapes[2], half: 1 },
])("fifty plans of a browser agent that acts by $shape.name", ({ shape, half }) => {
  it("end as the documented rules say", async () => {
    for (const plan of plans(100).filter((_, i) => i % 2 === half)) {
      if (shape === undefined) throw new Error("There is no such shape.");
      const turns = await play(shape, plan, { heeds: false });
      expect({ plan, verdicts: verdicts(turns) }).toEqual({ plan, verdicts: expected(plan) });
    }
  });
});
