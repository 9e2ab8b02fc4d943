import { onTestFinished } from "vitest";
import { redisStores } from "../../src/store/redis/redis.ts";
import type { RedisServer } from "../support/servers/redis.ts";
import { guardBefore, requestsOnly } from "./guard-rig.ts";

/** Guards that share nothing but a Redis and a secret; `kept` is all that they left there, as one text. */
export async function replicas(redis: RedisServer, upstream: string, count: number) {
  const prefix = `${crypto.randomUUID()}:`;
  const one = async () => {
    const stores = redisStores({ url: `${redis.url}?prefix=${prefix}` });
    await stores.whenReady(5_000);
    onTestFinished(() => stores.sessions.close());
    const options = { stores, secret: "the secret of all", storeDeadlineMs: 5_000, policy: requestsOnly() };
    return guardBefore(upstream, options);
  };
  const kept = async () => {
    const keys = await redis.admin.keys(`${prefix}*`);
    const values = await Promise.all(
      keys.map((key) => redis.admin.hgetall(key).catch(() => redis.admin.get(key).catch(() => ""))),
    );
    return keys.join("\n") + JSON.stringify(values);
  };
  return { guards: await Promise.all(Array.from({ length: count }, one)), kept };
}
