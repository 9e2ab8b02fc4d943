import { describe, expect, it, vi } from "vitest";
import { memoryStores, type Policy, policyFrom, type Stores, type Totals } from "../../src/index.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { agent, type AgentOptions, verdictsOf } from "./agent.ts";
import { type GuardRig, guardRig, post, standard } from "./guard-rig.ts";
import { metered, streamOf } from "./metered.ts";

const rejecting = () => Promise.reject(new Error("no connection"));

function policyWith(parts: Partial<Policy>): Policy {
  return { ...standard(), ladders: { "budget:steps": { "short-circuit": 8 } }, ...parts };
}

function failing(): { readonly stores: Stores } {
  const inner = memoryStores();
  return {
    stores: {
      ...inner,
      sessions: { ...inner.sessions, read: rejecting },
      counters: { ...inner.counters, read: rejecting },
    },
  };
}

const body = (extra: object = {}) => JSON.stringify({ ...extra, messages: [{ role: "user", content: "hi" }] });

describe("while the store fails, and with it the budget of a session, a request", () => {
  it("waits for better times where the policy says stop", async () => {
    const rig = await guardRig(healthy(1), {
      stores: failing().stores,
      policy: policyWith({ budget: { steps: 40, whenUnknown: "deny" } }),
    });
    const given = await post(rig.url, body());
    expect(given.status).toBe(503);
    expect(JSON.parse(given.text)).toMatchObject({
      error: { code: "budget_unknown", type: "api_error", message: expect.stringContaining("session store") },
    });
    expect(given.headers.get("x-unloop-verdict")).toBe("degraded");
    // An SDK may well ask again: that is what helps here.
    expect(given.headers.get("x-should-retry")).toBeNull();
    expect(rig.upstream.requests).toEqual([]);
    await vi.waitFor(() =>
      expect(rig.logged).toContainEqual(expect.objectContaining({ event: "exchange", status: 503 })),
    );
  });

  it("passes, and says that it is degraded, where the guard only observes", async () => {
    const policy = policyWith({ budget: { steps: 40, whenUnknown: "deny" } });
    const rig = await guardRig(healthy(1), { stores: failing().stores, policy, mode: "observe" });
    const given = await post(rig.url, body());
    expect([given.status, given.headers.get("x-unloop-verdict")]).toEqual([200, "degraded"]);
    expect(rig.upstream.requests.map(({ bytes }) => bytes.toString())).toEqual([body()]);
  });
});

describe("the budget of a session", () => {
  const headers = { "x-unloop-session": "run-1" };

  it("is shared by its threads, at whatever guard they are", async () => {
    const shared = { stores: memoryStores(), secret: "a secret of both guards", policy: policyWith({}) };
    const [here, there] = [await guardRig(healthy(20), shared), await guardRig(healthy(20), shared)];
    const first = agent({ ...here, headers, task: "Do the first half." });
    const second = agent({ ...there, headers, task: "Do the second half." });
    const verdicts = verdictsOf([...(await first.turns(5)), ...(await second.turns(4))]);
    expect(verdicts).toEqual(Array(9).fill("ok"));
    // Four steps of the first thread are counted (its fifth answer has not come back yet), and three of the second.
    expect(verdictsOf([await second.turn()])).toEqual(["short-circuit"]);
    expect(verdictsOf([await first.turn()])).toEqual(["short-circuit"]);
  });
});

const prices = { "gpt-4*": { input: 2, output: 10, cachedInput: 1 } };
const hundred = { prompt_tokens: 90, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 40 } };
/** 50 of input, 40 from the cache and 10 of output. */
const costOfHundred = 50 * 2 + 40 * 1 + 10 * 10;
const named = { "x-unloop-session": "run-1" };
const limited = (budget: Policy["budget"]) => policyFrom({ extends: null, budget, prices });

/** Stores in memory that tell what all counters of sessions together have come to. */
function countingStores() {
  const stores = memoryStores();
  const sums = new Map<string, number>();
  const add = (key: Parameters<Stores["counters"]["add"]>[0], amounts: Totals, ttlMs: number) => {
    for (const [name, amount] of Object.entries(amounts)) sums.set(name, (sums.get(name) ?? 0) + amount);
    return stores.counters.add(key, amounts, ttlMs);
  };
  return {
    stores: { ...stores, counters: { ...stores.counters, add } },
    counted: () => Object.fromEntries(sums),
  };
}

describe("what a session may use up", () => {
  const extra = { stream: true };
  const run = async (budget: Policy["budget"], turns: number, more: Partial<AgentOptions> = {}) => {
    const rig = await guardRig(metered(hundred), { policy: limited(budget) });
    return { rig, taken: await agent({ ...rig, headers: named, extra, ...more }).turns(turns) };
  };

  it.each([
    { budget: { tokens: 400 }, grade: "tokens", told: "(tokens): 300 of 400 used" },
    { budget: { cost: (4 * costOfHundred) / 1_000_000 }, grade: "cost", told: "(cost): 0.00072 of 0.00096 used" },
  ])("is told at three quarters, ends the run at the limit, and holds: $grade", async ({ budget, told }) => {
    const { rig, taken } = await run(budget, 7);
    expect(verdictsOf(taken)).toEqual(["ok", "ok", "ok", "nudge", "force-done", "short-circuit", "short-circuit"]);
    expect(taken[3]?.headers.get("x-unloop-detector")).toBe("budget");
    expect(taken[3]?.received[0]?.bytes.toString()).toContain(told);
    expect(taken[4]?.received[0]?.chat.tool_choice).toBe("none");
    expect(taken[5]?.message.content).toContain("budget is used up");
    expect(rig.upstream.requests).toHaveLength(5);
  });

  it("is shared by sub-agents, and one that begins too late is not begun", async () => {
    const { rig } = await run({ tokens: 400 }, 3);
    const second = agent({ ...rig, headers: named, extra, task: "Do the other half." });
    expect(verdictsOf(await second.turns(3))).toEqual(["ok", "force-done", "short-circuit"]);
    const third = agent({ ...rig, headers: named, extra, task: "Do the rest." });
    expect(verdictsOf([await third.turn()])).toEqual(["short-circuit"]);
    expect(rig.upstream.requests).toHaveLength(5);
  });
});

it("the seconds of a session end its run, whatever it does in them", async () => {
  const stores = memoryStores();
  const read: Stores["counters"]["read"] = async (key) => {
    const totals = await stores.counters.read(key);
    return totals.started === undefined ? totals : { ...totals, started: totals.started - 60 };
  };
  const aged = { ...stores, counters: { ...stores.counters, read } };
  const rig = await guardRig(metered(hundred), { policy: limited({ seconds: 30 }), stores: aged });
  const verdicts = verdictsOf(await agent({ ...rig, headers: named }).turns(2));
  expect(verdicts).toEqual(["ok", "short-circuit"]);
});

describe("what is counted", () => {
  const tokens = limited({ tokens: 1_000_000 });
  const exchangeIn = ({ logged }: Pick<GuardRig, "logged">) => logged.findLast(({ event }) => event === "exchange");

  it("is what the upstream says, the cached input at its own price", async () => {
    const { stores, counted } = countingStores();
    const rig = await guardRig(metered(hundred), { stores, policy: limited({ cost: 100 }) });
    await agent({ ...rig, headers: named }).turns(3);
    expect(counted()).toEqual({ steps: 2, inputTokens: 270, outputTokens: 30, cost: 3 * costOfHundred });
    expect(exchangeIn(rig)).toMatchObject({ inputTokens: 90, outputTokens: 10, cost: costOfHundred / 1_000_000 });
    expect(exchangeIn(rig)?.estimated).toBeUndefined();
  });

  it("is what had come of an answer that its client did not wait for", async () => {
    const { stores, counted } = countingStores();
    const rig = await guardRig(() => streamOf([{ content: "b".repeat(80) }], hundred, "hang"), {
      stores,
      policy: tokens,
    });
    const hangingUp = new AbortController();
    const answer = await fetch(`${rig.url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...named, "content-type": "application/json" },
      body: JSON.stringify({ stream: true, messages: [{ role: "user", content: "a".repeat(400) }] }),
      signal: hangingUp.signal,
    });
    await answer.body?.getReader().read();
    hangingUp.abort();
    await vi.waitFor(() => expect(counted()).toEqual({ inputTokens: 100, outputTokens: 20, cost: 0 }));
  });

  it("is both answers where one was kept from the agent", async () => {
    const { stores, counted } = countingStores();
    const policy = { ...standard(), budget: { tokens: 1_000_000 } };
    const rig = await guardRig(looping("nothing"), { stores, policy });
    await agent({ ...rig, headers: named }).turns(5);
    const used = rig.upstream.requests.map(({ answer }) => JSON.parse(answer.toString()).usage);
    expect(used.length).toBeGreaterThan(5);
    expect(counted()).toMatchObject({
      inputTokens: used.reduce((sum, { prompt_tokens }) => sum + prompt_tokens, 0),
      outputTokens: used.reduce((sum, { completion_tokens }) => sum + completion_tokens, 0),
    });
  });
});
