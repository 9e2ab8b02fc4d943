import { describe, expect, it, onTestFinished } from "vitest";
import type { SessionKey } from "../../../src/store/store.ts";
import { delayProxy } from "../../support/servers/delay-proxy.ts";
import { redisOfTest, storesOfTest } from "./rig.ts";

async function storesAt(url: string) {
  const stores = await storesOfTest({ url });
  return { stores, names: async () => (await stores.troubles()).map(({ name }) => name) };
}

describe("what is the matter with a Redis that serves", { timeout: 60_000 }, () => {
  it.each([
    { named: "no limit of its memory", args: [], found: [] },
    { named: "the recommended policy", args: ["--maxmemory", "4mb", "--maxmemory-policy", "volatile-ttl"], found: [] },
    { named: "its limit near", args: ["--maxmemory", "1", "--maxmemory-policy", "noeviction"], found: ["nearly-full"] },
  ])("with $named: $found", async ({ args, found }) => {
    const { names } = await storesAt((await redisOfTest({ args })).url);
    expect(await names()).toEqual(found);
  });

  it("is that it is a replica, until it has become the master", async () => {
    const { port } = await redisOfTest();
    const { url, admin } = await redisOfTest({ args: ["--replicaof", "127.0.0.1", String(port)] });
    const { names } = await storesAt(url);
    expect(await names()).toEqual(["read-only"]);
    await admin.replicaof("NO", "ONE");
    expect(await names()).toEqual([]);
  });

  it("is that it answers 40 ms late, as long as it does", async () => {
    const proxy = await delayProxy((await redisOfTest()).port);
    onTestFinished(proxy.stop);
    const { stores, names } = await storesAt(`redis://127.0.0.1:${proxy.port}`);
    const read = () => stores.counters.read("s" as SessionKey);
    proxy.delay(40);
    await Promise.all(Array.from({ length: 20 }, read));
    expect(await names()).toEqual(["slow"]);
    proxy.delay(0);
    for (let i = 0; i < 20; i++) await read();
    expect(await names()).toEqual([]);
  });
});
