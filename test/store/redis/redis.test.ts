import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { promMetrics } from "../../../src/admin/metrics/prometheus.ts";
import { redisStores } from "../../../src/store/redis/redis.ts";
import { positionOf, type SessionKey, type ThreadKey } from "../../../src/store/store.ts";
import { watchTroubles } from "../../../src/watch-troubles.ts";
import { storesContract } from "../../contracts/stores.ts";
import { type LogLine, logInto } from "../../proxy/guard-rig.ts";
import { age, type RedisServer, startRedis } from "../../support/servers/redis.ts";
import { redisOfTest, storesOfTest } from "./rig.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
}, 120_000);
afterAll(() => server?.stop());

storesContract("one Redis", async (prefix, journalCapacity) => {
  const stores = redisStores({ url: `${server.url}?prefix=${prefix}`, journalCapacity });
  await stores.whenReady(5_000);
  return { stores, advance: (ms) => age(server.admin, prefix, ms) };
});

describe("what redisStores leaves in Redis", () => {
  const open = (prefix = "unloop:") => storesOfTest({ url: `${server.url}?prefix=${prefix}` });

  it("is one key a thread and one for the counters, all tagged with the session, each with an expiry", async () => {
    const { sessions, counters } = await open();
    await sessions.write("s1.main" as ThreadKey, "{}", 0, 5_000);
    await counters.add("s1" as SessionKey, { steps: 1 }, 5_000);
    const keys = await server.admin.keys("unloop:*");
    expect(keys.sort()).toEqual(["unloop:counters:{s1}", "unloop:{s1}/main"]);
    for (const key of keys) {
      const left = await server.admin.pttl(key);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(5_000);
    }
  });

  it("is one text a thread, with its version in the first line, and how far a plain one goes", async () => {
    const { sessions } = await open();
    const key = "s2.main" as ThreadKey;
    await sessions.write(key, '{"of":"several\\nlines"}', 0, 5_000, { root: "of a", length: 7 });
    expect(await server.admin.get("unloop:{s2}/main")).toBe('1 7 of a\n{"of":"several\\nlines"}');
    await sessions.write(key, "two\nlines", 1, 5_000);
    expect(await server.admin.get("unloop:{s2}/main")).toBe("2\ntwo\nlines");
    expect(await sessions.read(key)).toEqual({ json: "two\nlines", version: 2 });
  });

  it("lists all sessions behind one whose entry has expired", async () => {
    const prefix = `${randomUUID()}:`;
    const { directory } = await open(prefix);
    for (let at = 1; at <= 9; at += 1)
      await directory.note(`s${at}` as SessionKey, { at, set: {}, first: {}, add: {} }, 5_000);
    await server.admin.del(`${prefix}{s8}/directory`);
    const entries = await directory.page(3);
    expect(entries.map(({ key }) => key)).toEqual(["s9", "s7", "s6"]);
    const others = await directory.page(9, positionOf({ at: 6, key: "s6" }));
    expect(others.map(({ key }) => key)).toEqual(["s5", "s4", "s3", "s2", "s1"]);
  });

  it("is read past what somebody else has written there in another form, and written over it", async () => {
    const { sessions, directory } = await open();
    const note = { at: 1, set: { name: "fine" }, first: {}, add: {} };
    for (const key of ["s6", "s7"]) await directory.note(key as SessionKey, note, 5_000);
    await server.admin.del("unloop:{s6}/directory");
    await server.admin.lpush("unloop:{s6}/directory", "forged");
    expect((await directory.page(10)).map(({ key }) => key)).not.toContain("s6");
    const key = "s6.directory" as ThreadKey;
    expect(await sessions.read(key)).toBeUndefined();
    expect(await sessions.write(key, "{}", 0, 5_000)).toBe(true);
    expect(await sessions.read(key)).toEqual({ json: "{}", version: 1 });
  });

  it("is not told by a failure", async () => {
    const prefix = `${randomUUID()}:`;
    const { journal } = await open(prefix);
    await server.admin.lpush(`${prefix}journal`, "of another kind");
    const failure = await journal.append("private").catch((error: unknown) => error);
    expect(String(failure)).toContain("WRONGTYPE");
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain("private");
  });
});

it("a Redis that is not there is told at once, with the reason", async () => {
  const { isReady, sessions } = await storesOfTest({ url: "redis://127.0.0.1:1" }, 200);
  expect(isReady).toBe(false);
  const reason = "Redis is not connected: connect ECONNREFUSED 127.0.0.1:1";
  await expect(sessions.read("s.t" as ThreadKey)).rejects.toThrow(reason);
});

it("a Redis that may evict orders is told of once by log and metric, and once more when it is mended", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { url, admin } = await redisOfTest({ args: ["--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru"] });
  const lines: LogLine[] = [];
  const metrics = promMetrics();
  const watch = watchTroubles(await storesOfTest({ url }), { log: logInto(lines), metrics });
  onTestFinished(watch.stop);
  const looked = async (sentences: readonly string[]) => {
    vi.advanceTimersByTime(10_000);
    await vi.waitFor(() => expect(watch.sentences()).toEqual(sentences));
    return (await metrics.read()).text;
  };
  const why = expect.stringContaining("volatile-ttl");
  await looked([why]);
  expect(await looked([why])).toContain('unloop_store_state{state="evicts-all"} 1');
  await admin.config("SET", "maxmemory-policy", "volatile-ttl");
  expect(await looked([])).toContain('unloop_store_state{state="evicts-all"} 0');
  expect(lines).toEqual([
    { level: "warn", event: "store-trouble", trouble: "evicts-all", why },
    { level: "info", event: "store-trouble-over", trouble: "evicts-all" },
  ]);
});
