import type { Cluster, Redis } from "ioredis";
import { refuseOversized } from "../refusals.ts";
import type { Directives } from "../store.ts";
import type { RunCommand } from "./run-command.ts";

/**
 * Keeps each directive under a key of its own, their names in a set, and beside them a number that changes with them:
 * asking for that alone costs little. All are in one slot. The number is raised last, so who sees it sees the change.
 */
export function redisDirectives(redis: Redis | Cluster, ask: RunCommand, prefix: string): Directives {
  const names = `${prefix}{directives}`;
  const revision = `${prefix}{directives}:revision`;
  const keyOf = (name: string): string => `${prefix}{directives}:of:${name}`;
  return {
    async put(name, text, ttlMs) {
      refuseOversized(text);
      await ask(async () => {
        await redis.set(keyOf(name), text, "PX", Math.ceil(ttlMs));
        await redis.sadd(names, name);
        await redis.incr(revision);
      });
    },
    async remove(name) {
      await ask(async () => {
        await redis.del(keyOf(name));
        await redis.srem(names, name);
        await redis.incr(revision);
      });
    },
    read: (lastRevision) =>
      ask(async () => {
        const now = (await redis.get(revision)) ?? "0";
        if (now === lastRevision) return undefined;
        const all = await redis.smembers(names);
        const replies = all.length === 0 ? [] : await redis.mget(all.map(keyOf));
        const expired = all.filter((_, i) => typeof replies[i] !== "string");
        if (expired.length > 0) await redis.srem(names, ...expired);
        const standing = all.flatMap((name, i) => {
          const text = replies[i];
          return typeof text === "string" ? [[name, text] as const] : [];
        });
        return { revision: now, texts: new Map(standing) };
      }),
  };
}
