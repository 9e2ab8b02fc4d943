import { describe, expect, it, vi } from "vitest";
import { type Policy, policyFrom, type Totals } from "../../src/index.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { chatBody, user } from "../support/builders/chat-history.ts";
import { storesVia } from "../support/builders/stores.ts";
import type { Script } from "../support/servers/upstream.ts";
import { agent, type AgentOptions, verdictsOf, type GuardRig, guardRig, post, standard } from "./guard-rig.ts";

const headers = { "x-unloop-session": "run-1" };
const stepLimit = (budget?: object): Policy => ({
  ...standard(),
  ladders: { "budget:steps": { "short-circuit": 8 } },
  ...(budget && { budget }),
});

describe("while the store fails, and with it the budget of a session, a request", () => {
  const body = chatBody([user("hi")]);
  const failing = async (mode?: "observe") => {
    const stores = storesVia((own, command) =>
      /^(sessions|counters)\.read$/.test(command) ? Promise.reject(new Error("no connection")) : own(),
    );
    const policy = stepLimit({ steps: 40, whenUnknown: "deny" });
    return guardRig(healthy(1), { stores, policy, ...(mode && { mode }) });
  };

  it("waits for better times where the policy says stop", async () => {
    const rig = await failing();
    const given = await post(rig.url, body);
    expect([given.status, given.headers.get("x-unloop-verdict")]).toEqual([503, "degraded"]);
    const message = expect.stringContaining("session store");
    expect(JSON.parse(given.text)).toMatchObject({ error: { code: "budget_unknown", type: "api_error", message } });
    // An SDK may well ask again: that is what helps here.
    expect(given.headers.get("x-should-retry")).toBeNull();
    expect(rig.upstream.requests).toEqual([]);
    const exchange = expect.objectContaining({ event: "exchange", status: 503 });
    await vi.waitFor(() => expect(rig.logged).toContainEqual(exchange));
  });

  it("passes no request that takes more work than it may, where the policy says stop", async () => {
    const labels = { role: "assistant", content: "\n\n#Action:".repeat(200) };
    const body = chatBody([user("hi"), ...Array(1_500).fill(labels)]);
    const given = async (budget: object) => post((await guardRig(healthy(2), { policy: stepLimit(budget) })).url, body);
    const [denied, allowed] = [await given({ steps: 40, whenUnknown: "deny" }), await given({ steps: 40 })];
    expect([denied.status, JSON.parse(denied.text).error.code]).toEqual([503, "budget_unknown"]);
    expect([allowed.status, allowed.headers.get("x-unloop-unread")]).toEqual([200, "size"]);
  });

  it("passes, and says that it is degraded, where the guard only observes", async () => {
    const rig = await failing("observe");
    const given = await post(rig.url, body);
    expect([given.status, given.headers.get("x-unloop-verdict")]).toEqual([200, "degraded"]);
    expect(rig.upstream.requests.map(({ bytes }) => bytes.toString())).toEqual([body]);
  });
});

const prices = { "gpt-4*": { input: 2, output: 10, cachedInput: 1 } };
const hundred = {
  prompt_tokens: 90,
  completion_tokens: 10,
  total_tokens: 100,
  prompt_tokens_details: { cached_tokens: 40 },
};
/** 50 of input, 40 from the cache and 10 of output. */
const costOfHundred = 50 * 2 + 40 * 1 + 10 * 10;
const limited = (budget: Policy["budget"]) => policyFrom({ extends: null, budget, prices });

const streamed = (chunks: readonly object[], ending: "end" | "hang") => {
  const common = { id: "chatcmpl-metered", object: "chat.completion.chunk", created: 1, model: "gpt-4o" };
  const pieces = chunks.map((chunk) => `data: ${JSON.stringify({ ...common, ...chunk })}\n\n`);
  const fields = { "content-type": "text/event-stream" };
  const done = ending === "end" ? ["data: [DONE]\n\n"] : [];
  return { kind: "raw", status: 200, fields, pieces: [...pieces, ...done], ending } as const;
};
const delta = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});

const metered: Script = (_, index) => {
  const called = { name: "search", arguments: `{"q":"${index}"}` };
  const tool_calls = [{ index: 0, id: `call_7e3f91ab5c2d8f04_${index}`, type: "function", function: called }];
  const chunks = [delta({ role: "assistant", tool_calls }), delta({}, "tool_calls"), { choices: [], usage: hundred }];
  return streamed(chunks, "end");
};

describe("what a session may use up", () => {
  const extra = { stream: true };
  const run = async (budget: Policy["budget"], turns: number, more: Partial<AgentOptions> = {}) => {
    const rig = await guardRig(metered, { policy: limited(budget) });
    return { rig, taken: await agent({ ...rig, headers, extra, ...more }).turns(turns) };
  };

  it.each([
    { budget: { tokens: 400 }, grade: "tokens", told: "(tokens): 300 of 400 used" },
    { budget: { cost: (4 * costOfHundred) / 1_000_000 }, grade: "cost", told: "(cost): 0.00072 of 0.00096 used" },
  ])("is told at three quarters, ends the run at the limit, and holds: $grade", async ({ budget, told }) => {
    const { rig, taken } = await run(budget, 7);
    expect(verdictsOf(taken)).toEqual(["ok", "ok", "ok", "nudge", "force-done", "short-circuit", "short-circuit"]);
    expect(taken[3]?.headers.get("x-unloop-detector")).toBe("budget");
    expect(taken[3]?.received[0]?.bytes.toString()).toContain(told);
    expect(taken[4]?.received[0]?.view.forced).toBe("none");
    expect(taken[5]?.heard.text).toContain("budget is used up");
    expect(rig.upstream.requests).toHaveLength(5);
  });

  it("is shared by sub-agents, and one that begins too late is not begun", async () => {
    const { rig } = await run({ tokens: 400 }, 3);
    const second = agent({ ...rig, headers, extra, task: "Do the other half." });
    expect(verdictsOf(await second.turns(3))).toEqual(["ok", "force-done", "short-circuit"]);
    const third = agent({ ...rig, headers, extra, task: "Do the rest." });
    expect(verdictsOf([await third.turn()])).toEqual(["short-circuit"]);
    expect(rig.upstream.requests).toHaveLength(5);
  });

  it("is seconds, too, whatever it does in them", async () => {
    const stores = storesVia(async (own, command) => {
      const told = await own();
      const { started } = Object(told);
      return command === "counters.read" && started !== undefined ? { ...Object(told), started: started - 60 } : told;
    });
    const rig = await guardRig(metered, { policy: limited({ seconds: 30 }), stores });
    expect(verdictsOf(await agent({ ...rig, headers, extra }).turns(2))).toEqual(["ok", "short-circuit"]);
  });
});

describe("what is counted", () => {
  const exchangeIn = ({ logged }: Pick<GuardRig, "logged">) => logged.findLast(({ event }) => event === "exchange");

  async function counting(script: Script, policy: Policy) {
    const sums: Record<string, number> = {};
    const stores = storesVia((own, command, [, amounts]) => {
      if (command === "counters.add")
        for (const [name, amount] of Object.entries(amounts as Totals)) sums[name] = (sums[name] ?? 0) + amount;
      return own();
    });
    return { rig: await guardRig(script, { stores, policy }), sums };
  }

  it("is what the upstream says, the cached input at its own price", async () => {
    const { rig, sums } = await counting(metered, limited({ cost: 100 }));
    await agent({ ...rig, headers, extra: { stream: true } }).turns(3);
    expect(sums).toEqual({ steps: 2, inputTokens: 270, outputTokens: 30, cost: 3 * costOfHundred });
    expect(exchangeIn(rig)).toMatchObject({ inputTokens: 90, outputTokens: 10, cost: costOfHundred / 1_000_000 });
    expect(exchangeIn(rig)?.estimated).toBeUndefined();
  });

  it("is what had come of an answer that its client did not wait for", async () => {
    const hanging: Script = () => streamed([delta({ content: "b".repeat(80) })], "hang");
    const { rig, sums } = await counting(hanging, limited({ tokens: 1_000_000 }));
    const hangingUp = new AbortController();
    const answer = await fetch(`${rig.url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: chatBody([user("a".repeat(400))], { model: undefined, stream: true }),
      signal: hangingUp.signal,
    });
    await answer.body?.getReader().read();
    hangingUp.abort();
    await vi.waitFor(() => expect(sums).toEqual({ inputTokens: 100, outputTokens: 20, cost: 0 }));
  });

  it("is both answers where one was kept from the agent", async () => {
    const { rig, sums } = await counting(looping("nothing"), { ...standard(), budget: { tokens: 1_000_000 } });
    await agent({ ...rig, headers }).turns(5);
    const used = rig.upstream.requests.map(({ answer }) => JSON.parse(answer.toString()).usage);
    expect(used.length).toBeGreaterThan(5);
    const sumOf = (name: string) => used.reduce((sum, usage) => sum + usage[name], 0);
    expect(sums).toMatchObject({ inputTokens: sumOf("prompt_tokens"), outputTokens: sumOf("completion_tokens") });
  });
});
