import { expect, it, onTestFinished, vi } from "vitest";
import { promMetrics } from "../../../src/admin/metrics/prometheus.ts";
import { redisStores } from "../../../src/store/redis/redis.ts";
import { watchTroubles } from "../../../src/watch-troubles.ts";
import { type LogLine, logInto } from "../../proxy/guard-rig.ts";
import { startRedis } from "../../support/servers/redis.ts";

it("a Redis that may evict orders is told of once by log and metric, and once more when it is mended", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await startRedis({ args: ["--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru"] });
  onTestFinished(server.stop);
  const stores = redisStores({ url: server.url });
  onTestFinished(stores.sessions.close);
  await stores.whenReady(5_000);
  const lines: LogLine[] = [];
  const metrics = promMetrics();
  const watch = watchTroubles(stores, { log: logInto(lines), metrics });
  onTestFinished(watch.stop);
  const looked = async (sentences: readonly string[]) => {
    vi.advanceTimersByTime(10_000);
    await vi.waitFor(() => expect(watch.sentences()).toEqual(sentences));
    return (await metrics.read()).text;
  };
  const why = expect.stringContaining("volatile-ttl");
  await looked([why]);
  expect(await looked([why])).toContain('unloop_store_state{state="evicts-all"} 1');
  await server.admin.config("SET", "maxmemory-policy", "volatile-ttl");
  expect(await looked([])).toContain('unloop_store_state{state="evicts-all"} 0');
  expect(lines).toEqual([
    { level: "warn", event: "store-trouble", trouble: "evicts-all", why },
    { level: "info", event: "store-trouble-over", trouble: "evicts-all" },
  ]);
});
