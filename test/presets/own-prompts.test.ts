import { describe, expect, it } from "vitest";
import { guardRig } from "../proxy/guard-rig.ts";
import type { Script } from "../support/servers/upstream.ts";
import { ways } from "./dialogue.ts";
import {
  browserAgent,
  browserOutput,
  outputForms,
  promptVerdicts,
  webAgent,
  webAnswer,
  webPlan,
} from "./prompt-agents.ts";

/** A session that the client names, and one that is known by what it tells. */
const names = [
  { named: "a header", headers: { "x-unloop-session": "run-1" } },
  { named: "its prompts alone", headers: {} },
];
const typing = { action: "type", target: "input[name=q]", value: "箱根" };
const clicking = (n: number) => ({ action: "click", target: `#hotel-${n}` });
const page = "[0] <input> 検索 id=q\n[1] <button> 検索する\n箱根の宿を探す";

const lines =
  (said: (index: number) => string): Script =>
  (_, index) => ({ kind: "text", text: said(index) });

describe.each(ways)("a web agent with one prompt for each step, answered with $kind", ({ extra }) => {
  describe.each(names)("named by $named", ({ headers }) => {
    const terms = { extra, headers };
    const rigged = (said: (index: number) => string) => guardRig(lines(said), { policy: "web-actions" });

    it("is ended in place of the third equal action", async () => {
      const turns = await webAgent(await rigged((i) => webPlan(`入力します ${i}`, typing)), {
        ...terms,
        page: () => page,
        turns: 8,
      });
      expect(promptVerdicts(turns)).toEqual(["ok", "ok", "short-circuit"]);
      const end = webAnswer(turns[2]?.content ?? "");
      const notice = "⚠️ 同じ操作の繰り返しを検出したため、タスクを終了します。";
      expect(end).toEqual({ explanation: notice, actions: [], complete: true });
    });

    it("is ended too when it says the same each time", async () => {
      const turns = await webAgent(await rigged((i) => webPlan("ホテルを探しています。", clicking(i))), {
        ...terms,
        page: () => page,
        turns: 8,
      });
      expect(promptVerdicts(turns)).toEqual(["ok", "ok", "short-circuit"]);
    });

    it("goes on where each action is another", async () => {
      const turns = await webAgent(await rigged((i) => webPlan(`開きます ${i}`, clicking(i))), {
        ...terms,
        page: () => page,
        turns: 8,
      });
      expect(new Set(promptVerdicts(turns))).toEqual(new Set(["ok"]));
      expect(turns.map(({ steps }) => steps)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    });

    it("goes on where a person starts it again after an end", async () => {
      const said = (i: number) =>
        i % 2 === 1 ? 'できました。\n```json\n{"actions":[],"complete":true}\n```' : webPlan(`入力 ${i}`, typing);
      const rig = await rigged(said);
      const told: { command: string; explanation: string }[] = [];
      for (let run = 0; run < 4; run++) {
        const turns = await webAgent(rig, { ...terms, page: () => page, turns: 2, told });
        expect(promptVerdicts(turns)).toEqual(["ok", "ok"]);
      }
    });

    it("goes on where a person starts it again after it was stopped", async () => {
      const rig = await rigged((i) => webPlan(`入力 ${i}`, typing));
      const told: { command: string; explanation: string }[] = [];
      for (let run = 0; run < 2; run++) {
        const turns = await webAgent(rig, { ...terms, page: () => page, turns: 6, told });
        expect(promptVerdicts(turns)).toEqual(["ok", "ok", "short-circuit"]);
      }
    });
  });
});

describe("a prompt that shows a page and what was said so far, and asks for no form", () => {
  const terms = { page: () => page, turns: 8, instructions: "あなたはブラウザのエージェントです。" };

  it.each(["web-actions", "default"])("is an agent's where the model answers with actions, for %s", async (policy) => {
    const rig = await guardRig(
      lines((i) => webPlan(`入力します ${i}`, typing)),
      { policy },
    );
    expect(promptVerdicts(await webAgent(rig, terms)).slice(0, 3)).toEqual([
      "ok",
      "ok",
      policy === "default" ? "nudge" : "short-circuit",
    ]);
  });

  it.each(["web-actions", "default"])("is left alone where it answers in words, for %s", async (policy) => {
    const rig = await guardRig(
      lines(() => "申し訳ありませんが、このページには書かれていません。"),
      { policy },
    );
    const told: { command: string; explanation: string }[] = [];
    const verdicts: (string | null)[] = [];
    for (let question = 0; question < 8; question++) {
      const asked = { ...terms, turns: 1, told, command: `${question + 1} 番目の宿の料金は` };
      verdicts.push(...promptVerdicts(await webAgent(rig, asked)));
    }
    expect(new Set(verdicts)).toEqual(new Set(["ok"]));
  });

  it.each(["web-actions", "default"])(
    "is a judge's where it gives the same verdict of each page, for %s",
    async (policy) => {
      const rig = await guardRig(
        lines(() => "まだ達成されていません。"),
        { policy },
      );
      const verdicts: (string | null)[] = [];
      for (let look = 0; look < 8; look++) {
        const told = [{ command: "箱根のホテルを探して", explanation: `宿 ${look} を開きます` }];
        const asked = { ...terms, turns: 1, told, page: () => `[0] <a> 宿 ${look} の部屋、料金、地図` };
        verdicts.push(...promptVerdicts(await webAgent(rig, asked)));
      }
      expect(new Set(verdicts)).toEqual(new Set(["ok"]));
    },
  );
});

it("two people who ask for the same at once are two runs: one goes in circles, and the other is left alone", async () => {
  let begun = 0;
  let clicks = 0;
  const script: Script = ({ bytes }) => {
    const prompt = bytes.toString();
    const isFirst = !prompt.includes("A:甲") && !prompt.includes("A:乙");
    const loops = isFirst ? begun++ === 0 : prompt.includes("A:甲");
    const text = loops ? webPlan("甲は入力します", typing) : webPlan(`乙は開きます ${clicks}`, clicking(clicks++));
    return { kind: "text", text };
  };
  const rig = await guardRig(script, { policy: "web-actions" });
  const runs = await Promise.all([0, 1].map(() => webAgent(rig, { page: () => page, turns: 6 })));
  const verdicts = runs.map((turns) => promptVerdicts(turns).join(" ")).toSorted();
  expect(verdicts).toEqual(["ok ok ok ok ok ok", "ok ok short-circuit"]);
});

describe.each(outputForms)("a browser agent that tells its last entries and answers with $form", ({ offer }) => {
  const answer = (said: string) =>
    "tools" in offer
      ? ({ kind: "calls", calls: [{ tool: "AgentOutput", args: said }] } as const)
      : ({ kind: "text", text: said } as const);

  describe.each(names)("named by $named", ({ headers }) => {
    describe.each(ways)("and $kind", ({ extra }) => {
      const rigged = (said: (index: number) => string) =>
        guardRig((_, index) => answer(said(index)), { policy: "consecutive-failures" });
      const click = (index: number) => ({ click_element: { index } });

      it("is forced to its end after three failing actions, and ended after the fourth", async () => {
        const rig = await rigged((i) => browserOutput(i, click(i)));
        const result = () => "Error: Element not found";
        const turns = await browserAgent(rig, { offer, extra, headers, turns: 9, result });
        expect(promptVerdicts(turns)).toEqual(["ok", "ok", "ok", "force-done", "short-circuit"]);
        expect(turns[4]?.content).toContain('"success":false');
      });

      it("is ended in place of the third equal action", async () => {
        const rig = await rigged((i) => browserOutput(i, click(5)));
        const turns = await browserAgent(rig, { offer, extra, headers, turns: 9, result: () => "Clicked element 5" });
        expect(promptVerdicts(turns)).toEqual(["ok", "ok", "short-circuit"]);
      });

      it("goes on where actions succeed, or succeed in between", async () => {
        const rig = await rigged((i) => browserOutput(i, click(i)));
        const result = (step: number) => (step % 3 === 0 ? "Clicked it" : "Error: Element not found");
        const turns = await browserAgent(rig, { offer, extra, headers, turns: 9, result });
        expect(new Set(promptVerdicts(turns))).toEqual(new Set(["ok"]));
      });
    });
  });
});
