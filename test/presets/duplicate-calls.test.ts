import { describe, expect, it } from "vitest";
import { memoryStores } from "../../src/index.ts";
import { policyFrom } from "../../src/policy/policy.ts";
import type { ScriptedAnswer, ScriptedCall } from "../support/wires/scripted-answer.ts";
import { agent, type AgentOptions, type Turn, verdictsOf } from "../proxy/agent.ts";
import { guardRig, post } from "../proxy/guard-rig.ts";

const ways = [
  { kind: "JSON", extra: {} },
  { kind: "an event stream", extra: { stream: true, stream_options: { include_usage: true } } },
];

const named = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const tools = ["message", "check_database", "check_api"].map(named);
const nothingNew = "I've completed processing but have no new response to give.";

const message = (text: string): ScriptedCall => ({ tool: "message", args: JSON.stringify({ text }) });
const call = (tool: string, args: string): ScriptedCall => ({ tool, args });
const turn = (calls: readonly ScriptedCall[], text?: string): ScriptedAnswer =>
  text === undefined ? { kind: "calls", calls } : { kind: "calls", calls, text };

/** An agent with room for fifteen turns, as the one that sent a message fifteen times had. */
async function play(
  answers: readonly ScriptedAnswer[],
  { policy = {}, count = 15, ...more }: Partial<AgentOptions> & { policy?: object; count?: number } = {},
) {
  const stores = memoryStores();
  const measured: string[] = [];
  const meter = {
    exchange: () => undefined,
    spent: () => undefined,
    failed: () => undefined,
    storeFailed: () => undefined,
    judged: () => undefined,
    intervention: (rung: string, detector: string) => measured.push(`${rung} ${detector}`),
  };
  const rig = await guardRig((_, index) => answers[Math.min(index, answers.length - 1)] ?? { kind: "text", text: "" }, {
    policy: policyFrom({ extends: "duplicate-calls", ...policy }),
    stores,
    meter,
  });
  const done: string[] = [];
  const result = (called: { readonly function: { readonly name: string } }) => {
    done.push(called.function.name);
    return `Accepted as number ${done.length}.`;
  };
  const run = agent({ ...rig, tools, task: "@health-check", result, ...more });
  const turns: Turn[] = [];
  while (turns.length < count) {
    const taken = await run.turn();
    turns.push(taken);
    if (taken.message.tool_calls === undefined) break;
  }
  return { turns, done, measured, logged: rig.logged, events: await stores.journal.recent(10) };
}

describe.each(ways)("an agent whose model repeats its calls, answering with $kind", ({ extra }) => {
  const checking = turn([message("⚙️ Checking database...")]);

  it("sends a message twice and not fifteen times", async () => {
    const { turns, done } = await play([checking], { extra });
    expect(done).toEqual(["message", "message"]);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "short-circuit"]);
    expect(turns.map(({ received }) => received.length)).toEqual([1, 1, 1]);
    expect(turns.slice(0, 2).map(({ text }) => text)).toEqual(
      turns.slice(0, 2).map(({ received }) => String(received[0]?.answer)),
    );
    expect(turns.map(({ sent }) => sent)).toEqual(turns.map(({ received }) => String(received[0]?.bytes)));
    expect(turns[2]?.message).toMatchObject({ content: nothingNew });
  });

  it("sends it once where a policy is strict with what is sent", async () => {
    const policy = { ladders: { "repeated-call:send": { "short-circuit": 2 } } };
    const { turns, done } = await play([checking], { extra, policy });
    expect(done).toEqual(["message"]);
    expect(verdictsOf(turns)).toEqual(["ok", "short-circuit"]);
  });

  it("goes through its whole task where no turn is as the one before", async () => {
    const answers = [
      turn([call("check_database", "{}")], "I'll check system health..."),
      turn([message("✅ Database: OK")]),
      turn([call("check_api", "{}")]),
      turn([message("✅ API: OK")]),
      { kind: "text", text: "All systems nominal!" } as const,
    ];
    const { turns, done } = await play(answers, { extra });
    expect(done).toEqual(["check_database", "message", "check_api", "message"]);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
    expect(turns.map(({ text }) => text)).toEqual(turns.map(({ received }) => String(received[0]?.answer)));
    expect(turns[4]?.message.content).toBe("All systems nominal!");
  });

  it("ends with what the model said beside its calls, once, where it said something", async () => {
    const { turns } = await play([turn([message("hi")], "The report has been sent.")], { extra });
    expect(turns.at(-1)?.message).toMatchObject({ content: "The report has been sent." });
  });

  it.each([
    {
      name: "all of them are the same",
      turns: [
        ["a", "b"],
        ["a", "b"],
        ["a", "b"],
      ],
      ends: true,
    },
    {
      name: "only the first is the same",
      turns: [
        ["a", "b"],
        ["a", "c"],
        ["a", "d"],
      ],
      ends: false,
    },
    { name: "there is one more each time", turns: [["a"], ["a", "b"], ["a", "b", "c"]], ends: false },
    { name: "another turn lies between", turns: [["a"], ["a"], ["b"], ["a"], ["a"]], ends: false },
  ])("compares all calls of a turn: $name", async ({ turns, ends }) => {
    const answers = turns.map((texts) => turn(texts.map(message)));
    const { turns: taken } = await play(answers, { extra, count: turns.length });
    expect(verdictsOf(taken).at(-1)).toBe(ends ? "short-circuit" : "ok");
  });

  it.each([
    {
      name: "the order of keys",
      args: ['{"a":1,"b":"t","c":true}', '{"c":true,"b":"t","a":1}', '{"b":"t","c":true,"a":1}'],
    },
    {
      name: "the order of keys within",
      args: ['{"x":{"a":[1,{"p":1,"q":2}]}}', '{"x":{"a":[1,{"q":2,"p":1}]}}', '{"x": {"a": [1, {"p": 1, "q": 2}]}}'],
    },
    { name: "how a number is written", args: ['{"n":1}', '{"n":1.0}', '{"n":1e0}'] },
  ])("does not mind $name", async ({ args }) => {
    const { turns } = await play(
      args.map((text) => turn([call("message", text)])),
      { extra },
    );
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "short-circuit"]);
  });

  const none = ["null", "{}", ""];
  it.each([
    { name: "a trace id", tool: "get_log", argsAt: (n: number) => ({ trace_id: `trace-${n}` }) },
    { name: "a trace id beside others", tool: "get_log", argsAt: (n: number) => ({ host: "a", trace_id: `t-${n}` }) },
    { name: "a request id", tool: "get_log", argsAt: (n: number) => ({ level: "warn", request_id: `r-${n}` }) },
    { name: "a correlation id", tool: "find", argsAt: (n: number) => ({ index: "a", correlation_id: `c-${n}` }) },
    { name: "a nonce", tool: "sign", argsAt: (n: number) => ({ text: "hi", nonce: n }) },
    { name: "the time of a candle", tool: "get_candle", argsAt: (n: number) => ({ ts: 1_795_000_000 + n * 60 }) },
    { name: "the time of a frame", tool: "get_frame", argsAt: (n: number) => ({ film: "f", timestamp: 1e9 + n }) },
    { name: "a time as a text", tool: "state_at", argsAt: (n: number) => ({ timestamp: `2026-11-22T10:00:0${n}Z` }) },
    { name: "a reason", tool: "refund", argsAt: (n: number) => ({ order: 5, reason: `item ${n} is broken` }) },
  ])("takes a call for another where the caller has varied $name, and ends equal ones", async ({ tool, argsAt }) => {
    const varied = Array.from({ length: 5 }, (_, n) => turn([call(tool, JSON.stringify(argsAt(n)))]));
    expect(verdictsOf((await play(varied, { extra, count: 5 })).turns)).toEqual(Array(5).fill("ok"));
    const equal = turn([call(tool, JSON.stringify(argsAt(0)))]);
    expect(verdictsOf((await play([equal], { extra, count: 3 })).turns)).toEqual(["ok", "ok", "short-circuit"]);
  });

  it("leaves out what a policy says, and with it the usual where that is said, too", async () => {
    const turns = [1, 2, 3].map((n) => turn([call("sign", JSON.stringify({ text: "hi", serial: n, nonce: n }))]));
    const verdicts = async (ignore: readonly string[]) =>
      verdictsOf((await play(turns, { extra, count: 3, policy: { tools: { sign: { ignore } } } })).turns).at(-1);
    expect(await verdicts(["serial", "nonce"])).toBe("short-circuit");
    expect(await verdicts(["usual", "serial"])).toBe("short-circuit");
    expect(await verdicts(["serial"])).toBe("ok");
    expect(await verdicts([])).toBe("ok");
  });

  it("takes no arguments for no arguments, however they are written", async () => {
    const { turns } = await play(
      none.map((args) => turn([call("check_database", args)])),
      { extra, count: 3 },
    );
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "short-circuit"]);
  });

  it("knows sending tools by a policy's pattern", async () => {
    const policy = {
      ladders: { "repeated-call:send": { "short-circuit": 2 } },
      tools: { "wecom_*": { kind: "send" }, "*_lookup": { ladders: { "repeated-call": { "short-circuit": 4 } } } },
    };
    const verdicts = async (tool: string) =>
      verdictsOf((await play([turn([call(tool, '{"text":"hi"}')])], { extra, policy, count: 4 })).turns);
    expect(await verdicts("wecom_push_card")).toEqual(["ok", "short-circuit"]);
    expect(await verdicts("slack_post")).toEqual(["ok", "short-circuit"]);
    expect(await verdicts("check_api")).toEqual(["ok", "ok", "short-circuit"]);
    expect(await verdicts("order_lookup")).toEqual(["ok", "ok", "ok", "short-circuit"]);
  });

  it.each([
    { name: "the same", args: ['{"text": "hel', '{"text": "hel', '{"text": "hel'], ends: true },
    { name: "other", args: ['{"text": "hel', "{text: 1}", "not json"], ends: false },
  ])("compares arguments that are no JSON as they stand: $name", async ({ args, ends }) => {
    const { turns } = await play(
      args.map((text) => turn([call("message", text)])),
      { extra, count: 3 },
    );
    expect(verdictsOf(turns)).toEqual(["ok", "ok", ends ? "short-circuit" : "ok"]);
  });

  it("ends after as many as a policy says, for a tool or for all", async () => {
    const five = { ladders: { "repeated-call": { "short-circuit": 5 } } };
    const patient = { tools: { check_api: { ladders: { "repeated-call": { "short-circuit": 4 } } } } };
    const api = turn([call("check_api", "{}")]);
    expect((await play([checking], { extra, policy: five })).done).toHaveLength(4);
    expect((await play([api], { extra, policy: patient })).done).toHaveLength(3);
    expect((await play([checking], { extra, policy: patient })).done).toHaveLength(2);
  });

  it("tells the log, the metrics and the journal", async () => {
    const { logged, measured, events } = await play([checking], { extra, headers: { "x-unloop-session": "run-7" } });
    const facts = { session: "run-7", detector: "repeated-call", rung: "short-circuit", count: 3, tools: ["message"] };
    expect(logged.find(({ verdict }) => verdict === "short-circuit")).toMatchObject({ ...facts, step: 1 });
    expect(measured).toEqual(["short-circuit repeated-call"]);
    const warning = { type: "warning", rung: "short-circuit", count: 2, of: 3, step: 1 };
    expect(events.map((entry) => JSON.parse(entry))).toMatchObject([{ ...facts, step: 1 }, warning]);
    expect(JSON.stringify([logged, events])).not.toContain("Checking database");
  });
});

describe("the turn before is found", () => {
  const said = (id: string) => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "message", arguments: '{"text":"hi"}' } }],
  });
  const told = (id: string) => ({ role: "tool", tool_call_id: id, content: "sent" });

  it.each([
    { name: "with its results right behind it", between: [] },
    { name: "behind a system message", between: [{ role: "system", content: "A subagent has finished." }] },
    {
      name: "behind a developer message and a prompt",
      between: [
        { role: "developer", content: "x" },
        { role: "user", content: "continue" },
      ],
    },
    { name: "behind an empty message without a role", between: [{}] },
  ])("$name", async ({ between }) => {
    const rig = await guardRig(() => turn([{ tool: "message", args: '{"text":"hi"}' }]), { policy: "duplicate-calls" });
    const messages = [
      { role: "user", content: "@health-check" },
      said("1"),
      told("1"),
      ...between,
      said("2"),
      told("2"),
    ];
    const { headers } = await post(rig.url, JSON.stringify({ model: "m", tools, messages }));
    expect(headers.get("x-unloop-verdict")).toBe("short-circuit");
  });

  it.each([
    { name: "no message but one", messages: [{ role: "user", content: "hi" }] },
    {
      name: "no messages of the model",
      messages: [
        { role: "system", content: "s" },
        { role: "user", content: "hi" },
      ],
    },
    { name: "nothing but a turn of the model", messages: [said("1")] },
    { name: "results alone", messages: [told("1"), told("2")] },
  ])("nowhere in a history with $name, and nothing breaks", async ({ messages }) => {
    const rig = await guardRig(() => turn([{ tool: "message", args: '{"text":"hi"}' }]), { policy: "duplicate-calls" });
    const body = JSON.stringify({ model: "m", tools, messages });
    const { status, headers } = await post(rig.url, body);
    expect([status, headers.get("x-unloop-verdict")]).toEqual([200, "ok"]);
    expect(String(rig.upstream.requests[0]?.bytes)).toBe(body);
  });
});
