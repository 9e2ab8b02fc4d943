import { describe, expect, it } from "vitest";
import { countName, periodKey, type SpentCount } from "../../src/activity/activity.ts";
import { adminApp, operatorToken } from "../../src/admin/admin.ts";
import { holdOutDifference } from "../../src/admin/api/hold-out.ts";
import { guardOf, policyFrom, webTransport } from "../../src/index.ts";
import { memoryStores } from "../../src/store/memory/memory.ts";
import { expectPromised } from "./api-rig.ts";

/** Numbers from 0 to 1, the same each time (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Sessions of a side in eight groups; most are short, and some loop for long. */
function side(sessions: number, looping: number, next: () => number) {
  const groups = Array.from({ length: 8 }, () => ({ sessions: 0, amount: 0 }));
  for (let i = 0; i < sessions; i++) {
    const group = groups[Math.floor(next() * 8)];
    if (group === undefined) continue;
    group.sessions += 1;
    group.amount += 1_000 + 1_000 * next() + (next() < 0.1 ? looping : 0);
  }
  return groups;
}

describe("the difference of a hold-out", () => {
  it("is within its interval nineteen times of twenty", () => {
    const next = numbers(1);
    let within = 0;
    for (let i = 0; i < 400; i++) {
      // Of one session in ten, an enforced one takes 5,000 and a held-out one 25,000 more.
      const found = holdOutDifference(side(300, 5_000, next), side(300, 25_000, next));
      if (found !== undefined && found.low <= 2_000 && found.high >= 2_000) within += 1;
    }
    expect(within / 400).toBeGreaterThan(0.91);
    expect(within / 400).toBeLessThan(0.99);
  });

  it("is not taken for more than chance where there is none", () => {
    const next = numbers(2);
    let claimed = 0;
    for (let i = 0; i < 400; i++) {
      const found = holdOutDifference(side(200, 20_000, next), side(200, 20_000, next));
      if (found !== undefined && (found.low > 0 || found.high < 0)) claimed += 1;
    }
    expect(claimed / 400).toBeLessThan(0.08);
  });

  it.each([
    { name: "sessions on the enforced side", enforced: 29, heldOut: 300 },
    { name: "sessions that are held out", enforced: 300, heldOut: 5 },
  ])("is not told from too few $name", ({ enforced, heldOut }) => {
    const next = numbers(3);
    expect(holdOutDifference(side(enforced, 0, next), side(heldOut, 0, next))).toBeUndefined();
  });
});

const NOW = Date.UTC(2026, 10, 22, 12, 30);
const named = { extends: "default", prices: { "*": { input: 2, output: 10 }, small: { input: 1, output: 1 } } };

/** The API over sums as exchanges leave them. */
async function saved(sums: readonly (Omit<SpentCount, "policy"> & { amount: number })[], query = "") {
  const stores = memoryStores();
  const policy = policyFrom({ ...named, name: "team" });
  const { control } = guardOf({ upstream: "http://127.0.0.1:1", transport: webTransport(), stores, policy });
  const counts = Object.fromEntries(
    sums.map(({ amount, ...count }) => [countName({ ...count, policy: "team" }), amount]),
  );
  await stores.counters.add(periodKey("hour", NOW / 1_000), counts, 60_000);
  const api = { version: "0", stores: control.stores, control, alerts: () => [], now: () => NOW };
  const access = { tokens: () => [], local: operatorToken("loopback", "l".repeat(20)) };
  const app = adminApp({ status: () => "ready", metrics: undefined, access, api, page: undefined });
  const answer = await app.request(`http://127.0.0.1/api/savings${query}`, { headers: { host: "127.0.0.1" } });
  const body = await answer.json();
  expectPromised("savings", body);
  return body.policies[0];
}

const groups = [0, 1, 2, 3, 4, 5, 6, 7];
/** Ten sessions in each group of a side, each of them with so many tokens in and out. */
const sideOf = (arm: string, input: number, output: number, ofGroup = (_: number) => 0) =>
  groups.flatMap((group) => [
    { kind: "sessions" as const, arm, group, amount: 10 },
    { kind: "tokens" as const, arm, group, amount: 10 * (input + output + ofGroup(group)) },
    { kind: "outputTokens" as const, arm, group, amount: 10 * output },
  ]);

describe("savings", () => {
  it("are measured where sessions are held out, at one price for both sides", async () => {
    const team = await saved([...sideOf("enforced", 1_000, 100), ...sideOf("held-out", 3_000, 200)]);
    expect(team).toMatchObject({
      basis: "hold-out",
      sessions: { enforced: 80, heldOut: 80, others: 0 },
      perSession: { enforced: 1_100, heldOut: 3_200, difference: 2_100, low: 2_100, high: 2_100 },
      price: { model: "*", input: 2, output: 10 },
    });
    expect(team.saved.tokens.value).toBe(168_000);
    // 2,000 in at 2 and 100 out at 10 a million, for each of 80 sessions.
    expect(team.saved.cost.value).toBeCloseTo((2_000 * 2 + 100 * 10) * 80 * 1e-6, 6);
    expect((await saved(sideOf("enforced", 1, 1), "?model=small")).price).toMatchObject({ model: "small", input: 1 });
  });

  it("say how far they may be chance, and that they were none", async () => {
    const uneven = (group: number) => (group % 2 === 0 ? 900 : 0);
    const team = await saved([...sideOf("enforced", 1_000, 0), ...sideOf("held-out", 700, 0, uneven)]);
    expect(team.perSession.difference).toBe(150);
    expect(team.perSession.low).toBeLessThan(0);
    expect(team.perSession.high).toBeGreaterThan(300);
    const worse = await saved([...sideOf("enforced", 2_000, 0), ...sideOf("held-out", 1_000, 0)]);
    expect(worse.saved.tokens).toEqual({ value: -80_000, low: -80_000, high: -80_000 });
  });

  it("are an estimate that says so where nothing is held out", async () => {
    const team = await saved([
      { kind: "sessions", arm: "", amount: 4 },
      { kind: "tokens", arm: "", amount: 10_000 },
      { kind: "avoidedTokens", arm: "", amount: 3_000 },
    ]);
    expect(team).toMatchObject({
      basis: "estimate",
      method: expect.stringContaining("An estimate, not measured"),
      perSession: null,
      avoidedTokens: 3_000,
      saved: { tokens: { value: 3_000, low: null, high: null }, cost: { value: 0.006, low: null, high: null } },
    });
  });
});
