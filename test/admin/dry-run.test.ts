import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { agent } from "../proxy/agent.ts";
import { type RedisServer, startRedis } from "../support/servers/redis.ts";
import { apiRig } from "./api-rig.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
}, 120_000);
afterAll(() => redis?.stop());

const observed = JSON.stringify({ extends: "default", name: "default", intercept: "off" });
const stricter = { extends: "default", name: "stricter", ladders: { "repeated-call": { "short-circuit": 2 } } };

/** Workers have a test of their own, in workerd. */
it.each([
  { store: "memory", env: () => ({}) },
  {
    store: "Redis",
    env: () => ({ REDIS_URL: redis.url, UNLOOP_SECRET: "a secret of the dry run", UNLOOP_STORE_DEADLINE_MS: "5000" }),
  },
])("another policy is tried on the ledgers that $store keeps", async ({ env }) => {
  const rig = await apiRig({ UNLOOP_MODE: "observe", UNLOOP_POLICY: observed, ...env() });
  await agent({ ...rig, headers: { "x-unloop-session": "kept" } }).turns(5);
  const { id } = await vi.waitFor(async () => {
    const [session] = (await rig.call("listSessions")).body.sessions;
    expect(session?.requests).toBe(5);
    return session;
  });
  for (const sessions of ["recent", [id]]) {
    const { body } = await rig.call("dryRun", { body: { policy: stricter, sessions } });
    expect(body).toMatchObject({ policy: "stricter", against: "default", total: 1, changed: 1 });
    expect(body.results[0]).toMatchObject({ id, earliestDifference: { step: 1, after: { rung: "short-circuit" } } });
  }
  const same = await rig.call("dryRun", { body: { policy: "default", sessions: "recent" } });
  expect(same.body).toMatchObject({ total: 1, changed: 0 });
  expect((await rig.call("listSessions")).body.sessions[0].interventions["short-circuit"]).toBeUndefined();
});

it("a policy that there is not, or that is wrong, is named", async () => {
  const rig = await apiRig();
  const refusal = async (body: object) => (await rig.call("dryRun", { body })).body.error.message;
  expect(await refusal({ policy: "none", sessions: "recent" })).toContain("policy");
  expect(await refusal({ policy: { ladder: 1 }, sessions: "recent" })).toContain('did you mean "ladders"');
});
