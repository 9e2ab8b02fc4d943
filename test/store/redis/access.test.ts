import { afterEach, describe, expect, it } from "vitest";
import { redisStores } from "../../../src/store/redis/redis.ts";
import type { SessionKey, Stores, ThreadKey } from "../../../src/store/store.ts";
import { type RedisServer, startRedis } from "../../support/servers/redis.ts";

const key = "s.t" as ThreadKey;
const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function server(options: Parameters<typeof startRedis>[0]): Promise<RedisServer> {
  const started = await startRedis(options);
  ending.push(started.stop);
  return started;
}

function open(options: Parameters<typeof redisStores>[0]): ReturnType<typeof redisStores> {
  const stores = redisStores(options);
  ending.push(stores.sessions.close);
  return stores;
}

async function useAll({ sessions, counters, journal }: Stores): Promise<void> {
  expect(await sessions.write(key, "1", 0, 5_000)).toBe(true);
  expect(await counters.add("s" as SessionKey, { steps: 1 }, 5_000)).toEqual({ steps: 1 });
  await journal.append("entry");
  expect(await journal.page(1)).toMatchObject([{ entry: "entry" }]);
}

describe("redisStores and who may use a Redis", { timeout: 120_000 }, () => {
  const user = { name: "guard", password: "p@ss word:/?#%ü", prefix: "unloop:" };

  it("speak TLS and log in as a user who may touch their keys and nothing else", async () => {
    const { url, ca } = await server({ tls: true, user });
    const stores = open({ url, ...(ca === undefined ? {} : { ca }) });
    expect(await stores.whenReady(5_000)).toBe(true);
    await useAll(stores);
  });

  it("do not trust a certificate that nobody vouches for", async () => {
    const { url } = await server({ tls: true });
    const stores = open({ url });
    expect(await stores.whenReady(500)).toBe(false);
    await expect(stores.sessions.read(key)).rejects.toThrow("self-signed certificate");
  });

  it("say that the password is wrong, and do not say what it was", async () => {
    const { port } = await server({ user });
    const stores = open({ url: `redis://guard:hunter2@127.0.0.1:${port}` });
    expect(await stores.whenReady(500)).toBe(false);
    const failure = await stores.sessions.read(key).catch((error: unknown) => error);
    expect(String(failure)).toContain("WRONGPASS");
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain("hunter2");
  });
});
