import { describe, expect, it } from "vitest";
import { adminApp, operatorToken } from "../../src/admin/admin.ts";
import { compareSides } from "../../src/admin/api/overview.ts";
import { guardOf, policyFrom, webTransport } from "../../src/index.ts";
import { memoryStores } from "../../src/store/memory/memory.ts";
import type { SessionKey } from "../../src/store/store.ts";
import { expectPromised } from "./api-rig.ts";

it("the difference of a hold-out is within its interval nineteen times of twenty", () => {
  // Numbers from 0 to 1, the same each time (Lehmer's generator).
  let state = 1;
  const next = () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
  const side = (looping: number) =>
    Array.from({ length: 300 }, () => 1_000 + 1_000 * next() + (next() < 0.1 ? looping : 0));
  const found = Array.from({ length: 400 }, () => compareSides(side(5_000), side(25_000)));
  const within = found.filter((one) => one !== undefined && one.low <= 2_000 && one.high >= 2_000);
  expect(within.length / 400).toBeGreaterThan(0.92);
  expect(within.length / 400).toBeLessThan(0.98);
});

interface Sessions {
  readonly arm: string;
  readonly count: number;
  readonly input: number;
  readonly output?: number;
  readonly model?: string;
}

async function saved(sides: readonly Sessions[], query = "") {
  const NOW = Date.UTC(2026, 10, 22, 12, 30);
  const stores = memoryStores();
  const prices = { "*": { input: 2, output: 10 }, small: { input: 1, output: 1 } };
  const policy = policyFrom({ extends: "default", prices, name: "team" });
  const { context } = guardOf({ upstream: "http://127.0.0.1:1", transport: webTransport(), stores, policy });
  for (const { arm, count, input, output = 0, model = "large" } of sides)
    for (let i = 0; i < count; i++) {
      const add = { requests: 1, inputTokens: input, outputTokens: output };
      const entry = { at: NOW - 1_000, set: { policy: "team", arm, model }, first: {}, add };
      await stores.directory.note(`${arm}-${model}-${i}` as SessionKey, entry, 60_000);
    }
  const app = adminApp({
    ...{ status: () => "ready", metrics: undefined, page: undefined },
    access: { tokens: () => [], local: operatorToken("loopback", "l".repeat(20)) },
    api: { version: "0", stores: context().stores, guard: context, now: () => NOW },
  });
  const answer = await app(
    new Request(`http://127.0.0.1/unloop/api/overview${query}`, { headers: { host: "127.0.0.1" } }),
  );
  const body = await answer.json();
  expectPromised("overview", body);
  return body.rollouts;
}

const enforced = { arm: "enforced", count: 80, input: 1_000, output: 100 };
const heldOut = { arm: "held-out", count: 40, input: 3_000, output: 200 };

describe("savings", () => {
  it("are the difference of a session's means, at one price for both sides, that of `*` or of the model that is asked for", async () => {
    const [team] = await saved([enforced, heldOut, { arm: "", count: 3, input: 9_000 }], "?window=1h");
    const tokens = { enforced: 1_100, heldOut: 3_200, saved: 2_100, low: 2_100, high: 2_100 };
    expect(team).toMatchObject({ policy: "team", enforced: 80, heldOut: 40, tokens });
    // 2,000 in at 2 and 100 out at 10 a million.
    expect(team.cost.saved).toBeCloseTo((2_000 * 2 + 100 * 10) * 1e-6, 9);
    const small = { model: "small", count: 30 };
    const both = [enforced, heldOut, { ...enforced, ...small }, { ...heldOut, ...small }];
    const [ofModel] = await saved(both, "?model=small");
    expect(ofModel).toMatchObject({ enforced: 30, heldOut: 30 });
    expect(ofModel.cost.saved).toBeCloseTo(2_100 * 1e-6, 9);
  });

  it("are not told from too few sessions, and of no policy that is not rolled out", async () => {
    const few = { policy: "team", enforced: 80, heldOut: 29, tokens: null, cost: null };
    expect(await saved([enforced, { ...heldOut, count: 29 }])).toMatchObject([few]);
    expect(await saved([{ arm: "", count: 90, input: 1_000 }])).toEqual([]);
  });
});
