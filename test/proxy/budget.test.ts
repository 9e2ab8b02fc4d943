import { describe, expect, it, vi } from "vitest";
import { memoryStores, type Policy, type Stores } from "../../src/index.ts";
import { healthy, looping } from "../support/scripts.ts";
import { agent, verdictsOf } from "./agent.ts";
import { guardRig, post, standard } from "./guard-rig.ts";

const rejecting = () => Promise.reject(new Error("no connection"));

function policyWith(parts: Partial<Policy>): Policy {
  return { ...standard(), ladders: { "budget:steps": { "short-circuit": 8 } }, ...parts };
}

/** Stores that fail as the test says. */
function failing(): { readonly stores: Stores; fail(fails: boolean): void } {
  let down = true;
  const inner = memoryStores();
  const stores: Stores = {
    ...inner,
    sessions: { ...inner.sessions, read: (key) => (down ? rejecting() : inner.sessions.read(key)) },
    counters: { ...inner.counters, read: (key) => (down ? rejecting() : inner.counters.read(key)) },
  };
  return {
    stores,
    fail(fails) {
      down = fails;
    },
  };
}

const body = (extra: object = {}) => JSON.stringify({ ...extra, messages: [{ role: "user", content: "hi" }] });

describe("while the store fails, and with it the budget of a session, a request", () => {
  it.each([{}, { stream: true }])("waits for better times where the policy says stop: %j", async (extra) => {
    const rig = await guardRig(healthy(1), {
      stores: failing().stores,
      policy: policyWith({ withoutBudget: "stop" }),
    });
    const given = await post(rig.url, body(extra));
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

  it("waits where nothing but the budget cannot be read", async () => {
    const inner = memoryStores();
    const stores = { ...inner, counters: { ...inner.counters, read: rejecting } };
    const rig = await guardRig(healthy(1), { stores, policy: policyWith({ withoutBudget: "stop" }) });
    expect((await post(rig.url, body())).status).toBe(503);
  });

  it("passes as soon as the store is back", async () => {
    const { stores, fail } = failing();
    const rig = await guardRig(healthy(1), { stores, policy: policyWith({ withoutBudget: "stop" }) });
    for (let i = 0; i < 6; i += 1) expect((await post(rig.url, body())).status).toBe(503);
    fail(false);
    await vi.waitFor(async () => expect((await post(rig.url, body())).status).toBe(200), { timeout: 20_000 });
  });

  it.each([
    { name: "the policy says go on", policy: policyWith({ withoutBudget: "go on" }), mode: "enforce" as const },
    { name: "the guard only observes", policy: policyWith({ withoutBudget: "stop" }), mode: "observe" as const },
    {
      name: "there is no budget",
      policy: policyWith({ withoutBudget: "stop", ladders: standard().ladders }),
      mode: "enforce" as const,
    },
  ])("passes, and says that it is degraded, where $name", async ({ policy, mode }) => {
    const rig = await guardRig(healthy(1), { stores: failing().stores, policy, mode });
    const given = await post(rig.url, body());
    expect(given.status).toBe(200);
    expect(given.headers.get("x-unloop-verdict")).toBe("degraded");
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

  it("is another session's own", async () => {
    const rig = await guardRig(looping("nothing"), { policy: policyWith({}) });
    await agent({ ...rig, headers }).turns(8);
    expect(verdictsOf(await agent({ ...rig, headers: { "x-unloop-session": "run-2" } }).turns(8))).toEqual(
      Array(8).fill("ok"),
    );
  });
});
