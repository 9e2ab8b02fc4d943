import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { configFile } from "../config-file.ts";
import { agent } from "../../proxy/agent.ts";
import { startGuard } from "../../support/servers/guarded.ts";
import { type RedisServer, startRedis } from "../../support/servers/redis.ts";
import { looping } from "../../support/agents/scripts.ts";
import { scriptedUpstream } from "../../support/servers/upstream.ts";
import { receiver } from "../../support/servers/webhook-receiver.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
}, 120_000);
afterAll(() => redis?.stop());

it("replicas that share a Redis tell of a loop once between them", async () => {
  const upstream = await scriptedUpstream(looping("nothing"));
  onTestFinished(upstream.close);
  const { url: hook, got } = await receiver();
  const env = {
    REDIS_URL: redis.url,
    UNLOOP_SECRET: "a secret of the replicas",
    UNLOOP_STORE_DEADLINE_MS: "5000",
    UNLOOP_CONFIG: configFile(`alerts: [{ name: ops, url: "${hook.href}", on: [observe] }]`).path,
    UNLOOP_MODE: "observe",
  };
  const guards = [await startGuard({ upstream: upstream.url, env }), await startGuard({ upstream: upstream.url, env })];
  for (const { close } of guards) onTestFinished(close);
  const url = (turn: number) => guards[turn % 2]?.url ?? "";
  const run = (name: string) => agent({ url, upstream, headers: { "x-unloop-session": name } });
  // Both replicas see the loop at several rungs.
  await run("first").turns(8);
  await run("second").turns(8);
  await vi.waitFor(() => expect(got).toHaveLength(2));
  expect(got.map(({ body }) => JSON.parse(body).session)).toEqual(["first", "second"]);
  expect(got.map(({ body }) => body).join()).not.toMatch(/Paris|morning|sk-test/);
});
