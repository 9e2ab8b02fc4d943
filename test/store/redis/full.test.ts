import { describe, expect, it, vi } from "vitest";
import type { ThreadKey } from "../../../src/store/store.ts";
import { agent, verdictsOf } from "../../proxy/agent.ts";
import { guardRig } from "../../proxy/guard-rig.ts";
import { looping } from "../../support/agents/scripts.ts";
import { redisOfTest, storesOfTest } from "./rig.ts";

async function fullRedis(policy: string, maxmemory: string) {
  const { url, admin } = await redisOfTest({ args: ["--maxmemory", maxmemory, "--maxmemory-policy", policy] });
  return { admin, stores: await storesOfTest({ url }) };
}

describe("a full Redis", { timeout: 60_000 }, () => {
  it("that refuses writes is told of once by log, metric and verdict, and goes on being read", async () => {
    const { admin, stores } = await fullRedis("noeviction", "1");
    const changes: (readonly [boolean, boolean])[] = [];
    const onStoreChange = (up: boolean, writable: boolean) => changes.push([up, writable]);
    const rig = await guardRig(looping("nothing"), { stores, onStoreChange, storeDeadlineMs: 10_000 });
    const verdict = async () => verdictsOf([await agent(rig).turn()])[0];
    const lines = () => rig.logged.filter(({ event }) => /^store-(refuses-writes|lost|writable)$/.test(event));
    await vi.waitFor(async () => expect(await verdict()).toBe("degraded"), { timeout: 20_000 });
    for (let i = 0; i < 5; i++) expect(await verdict()).toBe("degraded");
    const refused = { level: "warn", event: "store-refuses-writes", reason: expect.stringContaining("OOM") };
    expect([lines(), changes]).toEqual([[refused], [[true, false]]]);
    await admin.config("SET", "maxmemory", "0");
    await vi.waitFor(async () => expect(await verdict()).toBe("ok"), { timeout: 20_000 });
    expect(lines()).toMatchObject([refused, { event: "store-writable" }]);
    expect(changes.slice(1)).toEqual([[true, true]]);
  });

  it("that makes room as recommended keeps its journal, and orders that end before any session does", async () => {
    const { admin, stores } = await fullRedis("volatile-ttl", "4mb");
    const entries = Array.from({ length: 20 }, (_, i) => `{"entry":${i}}`);
    for (const entry of entries) await stores.journal.append(entry);
    await stores.directives.put("contain", "an order", 60_000);
    const text = "x".repeat(100_000);
    const evicted = async () => Number(/evicted_keys:(\d+)/.exec(await admin.info("stats"))?.[1]);
    for (let i = 0; (await evicted()) < 20; i++) await stores.sessions.write(`s${i}.t` as ThreadKey, text, 0, 600_000);
    expect((await stores.journal.page(100)).map(({ entry }) => entry)).toEqual(entries.toReversed());
    expect([...((await stores.directives.read())?.texts ?? [])]).toEqual([["contain", "an order"]]);
  });
});
