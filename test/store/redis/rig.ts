import { onTestFinished, vi } from "vitest";
import { redisStores } from "../../../src/store/redis/redis.ts";
import { type RedisServer, type RedisServerOptions, startRedis } from "../../support/servers/redis.ts";

export async function redisOfTest(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await startRedis(options);
  onTestFinished(server.stop);
  return server;
}

/** Stores on a Redis, closed after the test. @param patienceMs how long it may take until they are ready */
export async function storesOfTest(options: Parameters<typeof redisStores>[0], patienceMs = 5_000) {
  const stores = redisStores(options);
  onTestFinished(stores.sessions.close);
  const isReady = await stores.whenReady(patienceMs);
  return { ...stores, isReady };
}

export const eventually = (what: string, holds: () => Promise<boolean>) =>
  vi.waitFor(
    async () => {
      if (!(await holds().catch(() => false))) throw new Error(`It did not come about that ${what}.`);
    },
    { timeout: 20_000, interval: 10 },
  );
