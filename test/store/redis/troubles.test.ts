import { describe, expect, it, onTestFinished } from "vitest";
import { redisStores } from "../../../src/store/redis/redis.ts";
import type { SessionKey } from "../../../src/store/store.ts";
import { delayProxy } from "../../support/servers/delay-proxy.ts";
import { type RedisServer, startRedis } from "../../support/servers/redis.ts";

async function started(...args: readonly string[]): Promise<RedisServer> {
  const server = await startRedis({ args });
  onTestFinished(server.stop);
  return server;
}

async function storesAt(url: string) {
  const stores = redisStores({ url });
  onTestFinished(stores.sessions.close);
  await stores.whenReady(5_000);
  const names = async () => (await stores.troubles()).map(({ name }) => name);
  return { stores, names };
}

describe("what is the matter with a Redis that serves", { timeout: 60_000 }, () => {
  it.each([
    { named: "no limit of its memory", args: [], found: [] },
    { named: "the recommended policy", args: ["--maxmemory", "4mb", "--maxmemory-policy", "volatile-ttl"], found: [] },
    { named: "its limit near", args: ["--maxmemory", "1", "--maxmemory-policy", "noeviction"], found: ["nearly-full"] },
    {
      named: "a policy that evicts anything",
      args: ["--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru"],
      found: ["evicts-all"],
    },
  ])("with $named: $found", async ({ args, found }) => {
    const { names } = await storesAt((await started(...args)).url);
    expect(await names()).toEqual(found);
  });

  it("is that it is a replica, until it has become the master", async () => {
    const master = await started();
    const replica = await started("--replicaof", "127.0.0.1", String(master.port));
    const { names } = await storesAt(replica.url);
    expect(await names()).toEqual(["read-only"]);
    await replica.admin.replicaof("NO", "ONE");
    expect(await names()).toEqual([]);
  });

  it("is that it answers 40 ms late, as long as it does", async () => {
    const server = await started();
    const proxy = await delayProxy(server.port);
    onTestFinished(proxy.stop);
    const { stores, names } = await storesAt(`redis://127.0.0.1:${proxy.port}`);
    const read = () => Promise.all(Array.from({ length: 20 }, () => stores.counters.read("s" as SessionKey)));
    proxy.delay(40);
    await read();
    expect(await names()).toEqual(["slow"]);
    proxy.delay(0);
    for (let i = 0; i < 20; i++) await stores.counters.read("s" as SessionKey);
    expect(await names()).toEqual([]);
  });
});
