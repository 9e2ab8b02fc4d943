import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type RedisStores, redisStores } from "../../../src/store/redis/redis.ts";
import type { SessionKey, ThreadKey } from "../../../src/store/store.ts";
import { storesContract } from "../../contracts/stores.ts";
import { age, type RedisServer, startRedis } from "../../support/servers/redis.ts";

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
  let stores: RedisStores;
  const open = async ({ prefix = "unloop:", ...options }: { prefix?: string; journalCapacity?: number } = {}) => {
    stores = redisStores({ url: `${server.url}?prefix=${prefix}`, ...options });
    await stores.whenReady(5_000);
    return stores;
  };
  afterEach(() => stores.sessions.close());

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
    await sessions.write("s2.main" as ThreadKey, '{"of":"several\\nlines"}', 0, 5_000, { root: "of a", length: 7 });
    expect(await server.admin.get("unloop:{s2}/main")).toBe('1 7 of a\n{"of":"several\\nlines"}');
    await sessions.write("s2.main" as ThreadKey, "two\nlines", 1, 5_000);
    expect(await server.admin.get("unloop:{s2}/main")).toBe("2\ntwo\nlines");
    expect(await sessions.read("s2.main" as ThreadKey)).toEqual({ json: "two\nlines", version: 2 });
  });

  it("lists all sessions behind one whose entry has expired", async () => {
    const prefix = `${randomUUID()}:`;
    const { directory } = await open({ prefix });
    for (let at = 1; at <= 9; at += 1)
      await directory.note(`s${at}` as SessionKey, { at, set: {}, first: {}, add: {} }, 5_000);
    await server.admin.del(`${prefix}{s8}/directory`);
    const { entries, next } = await directory.page(3);
    expect(entries.map(({ key }) => key)).toEqual(["s9", "s7", "s6"]);
    expect((await directory.page(9, next)).entries.map(({ key }) => key)).toEqual(["s5", "s4", "s3", "s2", "s1"]);
  });
});

describe("a failure in redisStores", () => {
  it("says why there is no connection, at once", async () => {
    const stores = redisStores({ url: "redis://127.0.0.1:1" });
    expect(await stores.whenReady(200)).toBe(false);
    const start = performance.now();
    await expect(stores.sessions.read("s.t" as ThreadKey)).rejects.toThrow(
      "Redis is not connected: connect ECONNREFUSED 127.0.0.1:1",
    );
    expect(performance.now() - start).toBeLessThan(2_000);
    await stores.sessions.close();
  });

  it("tells none of what was to be kept", async () => {
    const prefix = `${randomUUID()}:`;
    const stores = redisStores({ url: `${server.url}?prefix=${prefix}` });
    await stores.whenReady(5_000);
    await server.admin.lpush(`${prefix}{s}/t`, "of another kind");
    const failure = await stores.sessions
      .write("s.t" as ThreadKey, "private", 0, 1_000)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(String(failure)).toContain("WRONGTYPE");
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain("private");
    await stores.sessions.close();
  });
});
