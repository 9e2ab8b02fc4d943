import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { agent, isUntouched, type Turn, type GuardRig, guardRig } from "../proxy/guard-rig.ts";
import { type WireTurn, wireAgent } from "../support/agents/wire-agent.ts";
import type { Script } from "../support/servers/upstream.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { type WebAction, webAgent, webAnswer, webPlan } from "./prompt-agents.ts";
import { told } from "./planner.ts";

/* What `documented.test.ts` tells of histories, as an agent meets it: one story of each preset. */

async function talk(rig: GuardRig, system: string, theirs: readonly string[], extra: object = {}) {
  const run = wireAgent(chatCompletionsWire, { ...rig, system, extra, tools: [], said: [] });
  const turns: WireTurn[] = [];
  for (const said of theirs) {
    run.hear(said);
    turns.push(await run.turn());
  }
  return turns;
}

const saying =
  (...lines: readonly string[]): Script =>
  (_, index) => ({ kind: "text", text: lines[Math.min(index, lines.length - 1)] ?? "" });

/**
 * The model saw what was sent, but for what was added behind the system text; and where nothing was done, what it
 * answered came through byte for byte. Gives what was added to each request.
 */
function addedTo(turns: readonly WireTurn[], system: string): readonly string[] {
  const passed = turns.filter(({ headers }) => headers.get("x-unloop-verdict") === "ok");
  expect(passed.map(({ text }) => text)).toEqual(passed.map(({ received }) => String(received[0]?.answer)));
  return turns.flatMap(({ sent, received }) =>
    received.map(({ bytes }) => {
      const got = String(bytes);
      const at = sent.indexOf(system) + system.length;
      const end = at + got.length - sent.length;
      expect(got.slice(0, at) + got.slice(end)).toBe(sent);
      return got.slice(at, end);
    }),
  );
}

const notice = "⚠️ 同じ操作の繰り返しを検出したため、タスクを終了します。";
const typing: WebAction = { action: "type", target: "input[name='search']", value: "箱根" };
const click = (n: number): WebAction => ({ action: "click", target: `#item-${n}`, value: "" });
const same = "[0] <input> 検索キーワード\n[1] <button> 検索する\n箱根の宿をさがすページです";

describe("a web agent", () => {
  it.each([{}, { stream: true }])("is ended in its own form, in its words, over HTTP: %j", async (extra) => {
    const system = "あなたはブラウザを操作するエージェントです。";
    const plan = JSON.stringify({ explanation: "「箱根」を入力します。", actions: [typing], complete: false });
    const rig = await guardRig(saying(plan), { policy: "web-actions" });
    const turns = await talk(rig, system, ["箱根のホテルを探してください。", same, same], extra);
    expect(told(turns)).toBe("ok ok end");
    expect(turns.map(({ heard }) => heard.text).slice(0, 2)).toEqual([plan, plan]);
    expect(JSON.parse(turns[2]?.heard.text ?? "")).toEqual({ explanation: notice, actions: [], complete: true });
    expect([turns[2]?.heard.finish, rig.upstream.requests.length]).toEqual(["stop", 3]);
    // With each request the model is told, by the same bytes, to look at the history, the fields and the stage before it acts.
    const [preamble, ...more] = new Set(addedTo(turns, system));
    for (const word of ["履歴", "入力", "段階"]) expect(preamble).toContain(word);
    expect(more).toEqual([]);
  });

  it.each([
    {
      after: "an end",
      runs: 4,
      said: (i: number) =>
        i % 2 === 1 ? 'できました。\n```json\n{"actions":[],"complete":true}\n```' : webPlan(`入力 ${i}`, typing),
      turns: "ok ok",
    },
    { after: "it was stopped", runs: 2, said: (i: number) => webPlan(`入力 ${i}`, typing), turns: "ok ok end" },
  ])("with one prompt for each step goes on where a person starts it again after $after", async (row) => {
    const rig = await guardRig((_, index) => ({ kind: "text", text: row.said(index) }), { policy: "web-actions" });
    const history: { command: string; explanation: string }[] = [];
    for (let run = 0; run < row.runs; run++) {
      const turns = await webAgent(rig, same, history);
      expect(told(turns)).toBe(row.turns);
      expect(webAnswer(turns.at(-1)?.content ?? "")).toMatchObject({ actions: [], complete: true });
    }
  });

  it("is one of two runs where two people ask for the same at once: one goes in circles, and the other is left alone", async () => {
    let begun = 0;
    let clicks = 0;
    const script: Script = ({ bytes }) => {
      const prompt = bytes.toString();
      const isFirst = !prompt.includes("A:甲") && !prompt.includes("A:乙");
      const loops = isFirst ? begun++ === 0 : prompt.includes("A:甲");
      const text = loops ? webPlan("甲は入力します", typing) : webPlan(`乙は開きます ${clicks}`, click(clicks++));
      return { kind: "text", text };
    };
    const rig = await guardRig(script, { policy: "web-actions" });
    const runs = await Promise.all([0, 1].map(() => webAgent(rig, same)));
    expect(runs.map(told).toSorted()).toEqual(["ok ok end", "ok ok ok ok ok ok"]);
  });
});

it.each([{}, { stream: true, stream_options: { include_usage: true } }])(
  "an agent whose model repeats its calls sends a message twice and not fifteen times, over HTTP: %j",
  async (extra) => {
    const calls = [{ tool: "message", args: JSON.stringify({ text: "⚙️ Checking database..." }) }];
    const rig = await guardRig(() => ({ kind: "calls", calls }), { policy: "duplicate-calls" });
    const tools = [{ type: "function", function: { name: "message", parameters: { type: "object" } } }];
    let sent = 0;
    const run = agent({ ...rig, extra: { tools, ...extra }, result: () => `Accepted as number ${++sent}.` });
    const turns: Turn[] = [];
    while (turns.length < 15 && (turns.length === 0 || turns.at(-1)?.heard.calls.length !== 0))
      turns.push(await run.turn());
    expect([told(turns), sent]).toEqual(["ok ok end", 2]);
    expect(isUntouched(turns.slice(0, 2))).toBe(true);
    expect(turns[2]?.heard.text).toBe("I've completed processing but have no new response to give.");
  },
);

describe("a browser agent whose model writes all actions into one call", () => {
  const parameters = JSON.parse(readFileSync(new URL("../fixtures/browser-use/union.json", import.meta.url), "utf8"));
  const tools = [{ type: "function", function: { name: "AgentOutput", parameters } }];
  const output = (...action: readonly object[]): ScriptedAnswer => {
    const current_state = { evaluation_previous_goal: "Unknown", memory: "Next", next_goal: "Go on" };
    return { kind: "calls", calls: [{ tool: "AgentOutput", args: JSON.stringify({ current_state, action }) }] };
  };
  const actionsIn = (turn: Turn | undefined): readonly object[] =>
    JSON.parse(turn?.heard.calls[0]?.args ?? "{}").action ?? [];
  const isForced = (json: unknown) => JSON.stringify(json).includes('"items":{"$ref":"#/$defs/DoneActionModel"}');

  async function browse(model: (turn: number, forced: boolean) => ScriptedAnswer, reports: string, count: number) {
    const rig = await guardRig(({ json }, index) => model(index, isForced(json)), { policy: "consecutive-failures" });
    const run = agent({ ...rig, extra: { tools }, task: "Find the cheapest flight.", result: () => "" });
    const turns: Turn[] = [];
    while (turns.length < count) {
      turns.push(await run.turn());
      run.hear(reports);
    }
    return turns;
  }
  const failure = "Action error: Element not found";

  it("has to finish after three failures in a row, and finishes by itself", async () => {
    const done = { done: { success: false, text: "Clicking did not work." } };
    const turns = await browse((i, forced) => output(forced ? done : { click: { index: i } }), failure, 4);
    expect(told(turns)).toBe("ok ok ok force-done");
    expect(isUntouched(turns.slice(0, 3))).toBe(true);
    const request = JSON.parse(String(turns[3]?.received[0]?.bytes));
    expect(isForced(request)).toBe(true);
    expect(request.tool_choice).toEqual({ type: "function", function: { name: "AgentOutput" } });
    const note = JSON.stringify(request.messages.at(-1));
    for (const part of ["failed 3 times", "terminate", 'Your only tool is \\"done\\"', "success=false", "cheapest"])
      expect(note).toContain(part);
    expect(actionsIn(turns[3])).toEqual([done]);
  });

  it("is ended after its fourth failure, and in place of its third equal action", async () => {
    const failed = await browse((i) => output({ click: { index: i } }), failure, 5);
    expect(told(failed)).toBe("ok ok ok force-done end");
    const repeated = await browse(() => output({ click: { index: 5 } }), "Action result: Clicked 5", 3);
    expect(told(repeated)).toBe("ok ok end");
    expect(JSON.stringify(actionsIn(repeated[2]))).toMatch(/click.*index 5.*3 times/);
  });
});

describe("a dialogue in which one side plays the user", () => {
  const simulator =
    "You are a user talking to an agent. When your goal is met, send ###STOP### to end the conversation.";
  const [welcome, thanks] = ["You're welcome! Have a great day! 😊", "Thank you, you too! Have a great day. 😊"];

  it.each([{}, { stream: true }])(
    "ends after two rounds of courtesies, and an environment that goes on is answered without the model: %j",
    async (extra) => {
      const rig = await guardRig(saying(thanks), { policy: "user-simulator" });
      const turns = await talk(rig, simulator, Array(5).fill(welcome), extra);
      expect(told(turns)).toBe("ok ok end end end");
      const [told_, ...more] = new Set(addedTo(turns, simulator));
      expect([told_, more]).toEqual([expect.stringContaining("'###STOP###' as a standalone message"), []]);
      const ended = turns.slice(2).map(({ heard, received }) => [heard.text, heard.finish, received.length]);
      expect(ended).toEqual(Array(3).fill(["###STOP###", "stop", 0]));
    },
  );

  it.each([
    ["Hello, I have a question.", welcome, thanks, "come to its end"],
    ["どういたしまして。", "ありがとうございました。", "どういたしまして。", "この会話は終了です"],
  ])("ends like any conversation behind %s: a reader sees no word of a loop", async (first, ours, theirs, says) => {
    const rig = await guardRig(saying("Okay: 12.", ours), { policy: "user-simulator" });
    const turns = await talk(rig, "You are a customer service agent.", [first, theirs, theirs, theirs]);
    expect(String(turns[0]?.received[0]?.bytes)).toBe(turns[0]?.sent);
    const { text = "", finish } = turns[3]?.heard ?? {};
    expect(text).toContain(says);
    expect(text).not.toMatch(/unloop|circles|stopped|unfinished|繰り返し|未完了|循环|未完成|Kreis|rond|círculo/i);
    expect(finish).toBe("stop");
  });
});
