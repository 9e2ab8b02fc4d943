import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisStores } from "../../../src/store/redis/redis.ts";
import type { SessionKey, ThreadKey } from "../../../src/store/store.ts";
import { storesContract } from "../../contracts/stores.ts";
import { age, eventually } from "../../support/servers/redis.ts";
import { type RedisCluster, startCluster } from "../../support/servers/redis-cluster.ts";

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startCluster(3);
}, 120_000);
afterAll(() => cluster?.stop());

storesContract("a Redis Cluster", async (prefix, journalCapacity) => {
  const stores = redisStores({ url: `${cluster.url}?prefix=${prefix}`, journalCapacity });
  await stores.whenReady(5_000);
  const advance = async (ms: number) => {
    for (const { admin } of cluster.nodes) await age(admin, prefix, ms);
  };
  return { stores, advance };
});

describe("redisStores in a cluster", () => {
  it("spreads the sessions over the nodes, and keeps what belongs to one together", async () => {
    const stores = redisStores({ url: `${cluster.url}?prefix=spread:` });
    await stores.whenReady(5_000);
    for (let i = 0; i < 60; i += 1) {
      await stores.sessions.write(`s${i}.main` as ThreadKey, "{}", 0, 60_000);
      await stores.sessions.write(`s${i}.helper` as ThreadKey, "{}", 0, 60_000);
      await stores.counters.add(`s${i}` as SessionKey, { steps: 1 }, 60_000);
    }
    const kept = await Promise.all(cluster.nodes.map(({ admin }) => admin.keys("spread:*")));
    expect(kept.flat()).toHaveLength(180);
    for (const keys of kept) {
      expect(keys.length).toBeGreaterThan(0);
      const sessions = keys.map((key) => /\{(s\d+)\}/.exec(key)?.[1]);
      for (const session of sessions) expect(sessions.filter((other) => other === session)).toHaveLength(3);
    }
    await stores.sessions.close();
  });

  it("needs one node of those in its URL to be there, and finds a node again that was away", async () => {
    const [first, ...others] = cluster.nodes;
    const url = `redis+cluster://127.0.0.1:1,127.0.0.1:${others[0]?.port}`;
    const stores = redisStores({ url });
    await stores.whenReady(5_000);
    const read = () => Promise.all(Array.from({ length: 20 }, (_, i) => stores.sessions.read(`s${i}.t` as ThreadKey)));
    await read();
    await first?.kill();
    await expect(read()).rejects.toThrow("Redis");
    await first?.start();
    await eventually("the whole cluster answers again", async () => (await read()).length === 20);
    await stores.sessions.close();
  });
});
