import type { Cluster, Redis } from "ioredis";
import { refuseOversized } from "../refusals.ts";
import type { Directives } from "../store.ts";
import type { RunCommand } from "./run-command.ts";

/**
 * Keeps the directives' texts in a hash, their ends in a sorted set, and beside them a number that changes with them: asking
 * for that alone costs little. All are in one slot. The number is raised last, so who sees it sees the change. No key
 * expires: what expires is what a full Redis evicts, and an order must outlive the sessions.
 */
export function redisDirectives(redis: Redis | Cluster, ask: RunCommand, prefix: string): Directives {
  const texts = `${prefix}{directives}:texts`;
  const ends = `${prefix}{directives}:ends`;
  const revision = `${prefix}{directives}:revision`;
  const drop = async (...names: readonly string[]) => {
    if (names.length === 0) return;
    await redis.hdel(texts, ...names);
    await redis.zrem(ends, ...names);
  };
  return {
    async put(name, text, ttlMs) {
      refuseOversized(text);
      await ask(async () => {
        await drop(...(await redis.zrangebyscore(ends, "-inf", Date.now())));
        await redis.hset(texts, name, text);
        await redis.zadd(ends, Date.now() + Math.ceil(ttlMs), name);
        await redis.incr(revision);
      });
    },
    async remove(name) {
      await ask(async () => {
        await drop(name);
        await redis.incr(revision);
      });
    },
    read: (lastRevision) =>
      ask(async () => {
        const now = (await redis.get(revision)) ?? "0";
        if (now === lastRevision) return undefined;
        const names = await redis.zrangebyscore(ends, Date.now(), "+inf");
        const replies = names.length === 0 ? [] : await redis.hmget(texts, ...names);
        const standing = names.flatMap((name, i) => {
          const text = replies[i];
          return typeof text === "string" ? [[name, text] as const] : [];
        });
        return { revision: now, texts: new Map(standing) };
      }),
  };
}
