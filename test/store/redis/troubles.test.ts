import { describe, expect, it, onTestFinished, vi } from "vitest";
import { redisStores } from "../../../src/store/redis/redis.ts";
import { resilient } from "../../../src/store/resilient/resilient.ts";
import type { SessionKey, Stores, ThreadKey } from "../../../src/store/store.ts";
import { agent, verdictsOf, guardRig } from "../../proxy/guard-rig.ts";
import { looping } from "../../support/agents/scripts.ts";
import { delayProxy } from "../../support/servers/delay-proxy.ts";
import { eventually, redisOfTest, storesOfTest } from "./rig.ts";

const key = "s.t" as ThreadKey;
const session = "s" as SessionKey;

/** A Redis whose answers can be late. */
async function delayedRedis() {
  const server = await redisOfTest();
  const { port, stop, delay } = await delayProxy(server.port);
  onTestFinished(stop);
  return { ...server, late: delay, redis: await storesOfTest({ url: `redis://127.0.0.1:${port}` }) };
}

async function limitedRedis(policy: string, maxmemory: string) {
  const { url, admin } = await redisOfTest({ args: ["--maxmemory", maxmemory, "--maxmemory-policy", policy] });
  return { admin, stores: await storesOfTest({ url }) };
}

const namesOf = async ({ troubles }: Awaited<ReturnType<typeof storesOfTest>>) =>
  (await troubles()).map(({ name }) => name);

describe("what is the matter with a Redis that serves", { timeout: 60_000 }, () => {
  it.each([
    { named: "no limit of its memory", policy: "noeviction", memory: "0", found: [] },
    { named: "the recommended policy", policy: "volatile-ttl", memory: "4mb", found: [] },
    { named: "its limit near", policy: "noeviction", memory: "1", found: ["nearly-full"] },
  ])("with $named: $found", async ({ policy, memory, found }) =>
    expect(await namesOf((await limitedRedis(policy, memory)).stores)).toEqual(found),
  );

  it("is that it is a replica, until it has become the master", async () => {
    const { port } = await redisOfTest();
    const { url, admin } = await redisOfTest({ args: ["--replicaof", "127.0.0.1", String(port)] });
    const stores = await storesOfTest({ url });
    expect(await namesOf(stores)).toEqual(["read-only"]);
    await admin.replicaof("NO", "ONE");
    expect(await namesOf(stores)).toEqual([]);
  });

  it("is that it answers 40 ms late, as long as it does", async () => {
    const { redis, late } = await delayedRedis();
    late(40);
    await Promise.all(Array.from({ length: 20 }, () => redis.counters.read(session)));
    expect(await namesOf(redis)).toEqual(["slow"]);
    late(0);
    // A busy machine may be late itself for a while.
    await vi.waitFor(async () => {
      for (let i = 0; i < 20; i++) await redis.counters.read(session);
      expect(await namesOf(redis)).toEqual([]);
    });
  });
});

describe("a full Redis", { timeout: 60_000 }, () => {
  it("that refuses writes is told of once by log, metric and verdict, and goes on being read", async () => {
    const { admin, stores } = await limitedRedis("noeviction", "1");
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
    const { admin, stores } = await limitedRedis("volatile-ttl", "4mb");
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

const expectUnavailable = ({ sessions, counters, journal }: Stores) =>
  Promise.all(
    [sessions.read(key), counters.add(session, { steps: 1 }, 600_000), journal.page(1)].map((one) =>
      expect(one).rejects.toMatchObject({ code: "store_unavailable" }),
    ),
  );

describe("a Redis behind resilient", { timeout: 120_000 }, () => {
  type Rig = Awaited<ReturnType<typeof delayedRedis>>;
  it.each<{ name: string; begin: (rig: Rig) => unknown; end: (rig: Rig) => unknown; kept: string | undefined }>([
    { name: "stopped", begin: ({ freeze }) => freeze(), end: ({ thaw }) => thaw(), kept: "kept" },
    { name: "killed", begin: ({ kill }) => kill(), end: ({ start }) => start(), kept: undefined },
    { name: "200 ms late", begin: ({ late }) => late(200), end: ({ late }) => late(0), kept: "kept" },
  ])("that is $name keeps nobody waiting, and is found again", async ({ begin, end, kept }) => {
    const made = await delayedRedis();
    const changes: string[] = [];
    const stores = resilient(made.redis, { deadlineMs: 50, onChange: (state) => changes.push(state) });
    await made.redis.sessions.write(key, "kept", 0, 600_000);
    await begin(made);
    for (let round = 0; round < 20; round += 1) await expectUnavailable(stores);
    expect(changes).toEqual(["open"]);
    await end(made);
    await eventually("the store answers again", () => stores.sessions.read(key).then(() => true));
    expect([(await stores.sessions.read(key))?.json, changes]).toEqual([kept, ["open", "closed"]]);
  });

  it("that was never there does not keep anybody from starting or ending", async () => {
    const stores = resilient(redisStores({ url: "redis://127.0.0.1:1" }), { deadlineMs: 50 });
    await expectUnavailable(stores);
    await expect(stores.sessions.close()).resolves.toBeUndefined();
  });
});
